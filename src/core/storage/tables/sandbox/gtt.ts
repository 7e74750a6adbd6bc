import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { Exchange } from '../../../instruments/schema.js'
import type { Action, GttPriceType, Product } from '../../../orders/schema.js'
import type { GttLegStatus, GttStatus } from '../../../sandbox/schema.js'

/**
 * Good-till-triggered orders of the simulated account. Amounts in ten-thousandths of a rupee, times in UTC
 * ms.
 */
export const sandboxGtt = sqliteTable(
  'sandbox_gtt',
  {
    gttId: text('gtt_id').primaryKey(),
    userId: text('user_id').notNull(),
    triggerType: text('trigger_type', { enum: ['single', 'two-leg'] }).notNull(),
    status: text('gtt_status').$type<GttStatus>().notNull(),
    symbol: text('symbol').notNull(),
    exchange: text('exchange').$type<Exchange>().notNull(),
    lastPrice: integer('last_price').notNull(),
    strategy: text('strategy').notNull(),
    margin: integer('margin_blocked').notNull(),
    createdAt: integer('created_at').notNull(),
    updatedAt: integer('updated_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [
    // A small partial index: a start finds the active GTTs without reading the history.
    index('sandbox_gtt_active').on(table.status).where(sql`gtt_status = 'active'`),
    index('sandbox_gtt_user').on(table.userId),
  ],
)

/** The one or two orders a GTT may send. */
export const sandboxGttLegs = sqliteTable(
  'sandbox_gtt_legs',
  {
    gttId: text('gtt_id').notNull(),
    legNumber: integer('leg_number').notNull(),
    triggerPrice: integer('trigger_price').notNull(),
    direction: text('trigger_direction', { enum: ['below', 'above'] }).notNull(),
    action: text('action').$type<Action>().notNull(),
    quantity: real('quantity').notNull(),
    /** Limit price; 0 for a market order. */
    price: integer('price').notNull(),
    priceType: text('pricetype').$type<GttPriceType>().notNull(),
    product: text('product').$type<Product>().notNull(),
    status: text('leg_status').$type<GttLegStatus>().notNull(),
    triggeredOrderId: text('triggered_order_id'),
    margin: integer('leg_margin').notNull(),
    /** The last time the leg began to fire; null if it never did. */
    claimedAt: integer('claimed_at'),
  },
  (table) => [primaryKey({ columns: [table.gttId, table.legNumber] })],
)
