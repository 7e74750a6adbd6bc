import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type {
  Action,
  GttRequest,
  OrderInstructions,
  OrderProduct,
  OrderStatus,
  PriceType,
} from '../../../orders/schema.js'
import type { BrokerGtt } from '../../broker.js'

/* The tables of the exchange's own file, which the exchange creates with SCHEMA. */

export const exchangeOrders = sqliteTable('exchange_orders', {
  orderId: text('order_id').primaryKey(),
  tag: text().notNull(),
  symbol: text().notNull(),
  exchange: text().notNull(),
  action: text().$type<Action>().notNull(),
  quantity: real().notNull(),
  price: real().notNull(),
  triggerPrice: real('trigger_price').notNull(),
  priceType: text('price_type').$type<PriceType>().notNull(),
  product: text().$type<OrderProduct>().notNull(),
  status: text().$type<OrderStatus>().notNull(),
  filledQuantity: real('filled_quantity').notNull(),
  filledValue: integer('filled_value').notNull(),
  rejectionReason: text('rejection_reason').notNull(),
  placedAt: integer('placed_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  instructions: text({ mode: 'json' }).$type<OrderInstructions>(),
  opensAt: integer('opens_at'),
  reference: real(),
})

export const exchangeTrades = sqliteTable('exchange_trades', {
  tradeId: text('trade_id').primaryKey(),
  orderId: text('order_id').notNull(),
  symbol: text().notNull(),
  exchange: text().notNull(),
  action: text().$type<Action>().notNull(),
  quantity: real().notNull(),
  price: real().notNull(),
  product: text().$type<OrderProduct>().notNull(),
  multiplier: real().notNull(),
  timestamp: integer().notNull(),
})

export const exchangeGtts = sqliteTable('exchange_gtts', {
  triggerId: text('trigger_id').primaryKey(),
  tag: text().notNull(),
  status: text().$type<BrokerGtt['status']>().notNull(),
  request: text({ mode: 'json' }).$type<GttRequest>().notNull(),
  lastPrice: real('last_price').notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  /** Empty until it fires. */
  orderId: text('order_id').notNull().default(''),
})

/** The columns that files of earlier versions lack. */
export const ADDED_COLUMNS = [
  { name: 'instructions', type: 'text' },
  { name: 'opens_at', type: 'integer' },
  { name: 'reference', type: 'real' },
] as const

export const SCHEMA = [
  `create table if not exists exchange_orders (
    order_id text primary key, tag text not null, symbol text not null, exchange text not null,
    action text not null, quantity real not null, price real not null, trigger_price real not null,
    price_type text not null, product text not null, status text not null, filled_quantity real not null,
    filled_value integer not null, rejection_reason text not null, placed_at integer not null,
    updated_at integer not null, instructions text, opens_at integer, reference real
  ) without rowid`,
  'create index if not exists exchange_orders_tag on exchange_orders (tag)',
  'create index if not exists exchange_orders_placed_at on exchange_orders (placed_at)',
  `create index if not exists exchange_orders_active on exchange_orders (placed_at)
    where status in ('open', 'trigger pending')`,
  `create table if not exists exchange_trades (
    trade_id text primary key, order_id text not null, symbol text not null, exchange text not null,
    action text not null, quantity real not null, price real not null, product text not null,
    multiplier real not null, timestamp integer not null
  ) without rowid`,
  `create table if not exists exchange_gtts (
    trigger_id text primary key, tag text not null, status text not null, request text not null,
    last_price real not null, created_at integer not null, updated_at integer not null,
    order_id text not null default ''
  ) without rowid`,
  'create index if not exists exchange_gtts_tag on exchange_gtts (tag)',
]
