import { z } from 'zod'
import { ACTIONS } from '../../orders/schema.js'

/*
 * Kite's JSON, as far as we read it. Other fields are ignored, and optional numbers default to 0. Fields that
 * an order needs are required, so that half a row is never treated as an order.
 */

const amount = z
  .number()
  .nullish()
  .transform((value) => value ?? 0)
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')

export const envelope = z.object({
  status: z.string(),
  data: z.unknown(),
  message: text,
  error_type: text,
})

/** An order that was cut into slices answers with several ids, some of them failures: that is not the answer to one order. */
export const orderAnswer = z.object({ order_id: z.string().min(1), children: z.undefined().optional() })

const side = z.enum(ACTIONS)

export const orderRow = z.object({
  order_id: z.string().min(1),
  status: z.string(),
  status_message: text,
  status_message_raw: text,
  order_timestamp: text,
  exchange_update_timestamp: text,
  variety: text,
  parent_order_id: text,
  exchange: z.string(),
  tradingsymbol: z.string(),
  order_type: z.string(),
  transaction_type: side,
  product: z.string(),
  quantity: z.number(),
  disclosed_quantity: amount,
  price: amount,
  trigger_price: amount,
  average_price: amount,
  filled_quantity: amount,
  validity: text,
  validity_ttl: amount,
  /** 0 where the order has none. */
  market_protection: amount,
  meta: z
    .object({ iceberg: z.object({ leg: z.number(), total_quantity: z.number() }).optional() })
    .nullish()
    .catch(undefined),
  tag: text,
  tags: z
    .array(z.string())
    .nullish()
    .transform((tags) => tags ?? []),
})
export type KiteOrder = z.output<typeof orderRow>

export const tradeRow = z.object({
  trade_id: z.string(),
  order_id: z.string(),
  exchange: z.string(),
  tradingsymbol: z.string(),
  product: z.string(),
  transaction_type: side,
  quantity: z.number(),
  average_price: z.number(),
  fill_timestamp: text,
  exchange_timestamp: text,
})
export type KiteTrade = z.output<typeof tradeRow>

const positionRow = z.object({
  tradingsymbol: z.string(),
  exchange: z.string(),
  product: z.string(),
  quantity: z.number(),
  /** Rupees of one lot for each rupee of the price; absent or 1 in many rows, also of larger contracts. */
  multiplier: amount,
  average_price: amount,
  last_price: amount,
  pnl: amount,
  /**
   * Profit of the day. Of a carried quantity it counts from the previous close; `pnl` counts from its cost.
   */
  m2m: z.number().nullish(),
  /** The signed quantity that was open when the day began. */
  overnight_quantity: z.number().nullish(),
  /** Of the last trading day; 0 in many rows. */
  close_price: amount,
  realised: amount,
  unrealised: amount,
})
export type KitePosition = z.output<typeof positionRow>
export const positionBook = z.object({ net: z.array(positionRow) })

export const holdingRow = z.object({
  tradingsymbol: z.string(),
  exchange: z.string(),
  quantity: z.number(),
  t1_quantity: amount,
  /** What was sold today. */
  used_quantity: amount,
  /** What was held when the day began, perhaps without T+1. Sales of today do not reduce it. */
  opening_quantity: amount,
  average_price: amount,
  last_price: amount,
  pnl: amount,
  mtf: z
    .object({ quantity: amount, average_price: amount })
    .nullish()
    .transform((mtf) => mtf ?? { quantity: 0, average_price: 0 }),
})
export type KiteHolding = z.output<typeof holdingRow>

const marginSegment = z.object({
  net: z.number(),
  available: z.object({ collateral: amount }),
  utilised: z.object({ debits: amount }),
})
export type KiteMargin = z.output<typeof marginSegment>
export const margins = z.object({ equity: marginSegment.optional(), commodity: marginSegment.optional() })

const level = z.object({ price: amount, quantity: amount, orders: amount })

export const quoteRow = z.object({
  timestamp: text,
  last_trade_time: text,
  last_price: z.number(),
  last_quantity: amount,
  buy_quantity: amount,
  sell_quantity: amount,
  volume: amount,
  oi: amount,
  lower_circuit_limit: amount,
  upper_circuit_limit: amount,
  ohlc: z.object({ open: amount, high: amount, low: amount, close: amount }),
  depth: z
    .object({ buy: z.array(level), sell: z.array(level) })
    .nullish()
    .transform((depth) => depth ?? { buy: [], sell: [] }),
})
export type KiteQuote = z.output<typeof quoteRow>
/** The rows are parsed one by one, because an unreadable row must not hide the others. */
export const quoteMap = z.record(z.string(), z.unknown())

export const candles = z.object({
  candles: z.array(
    z
      .tuple([z.string(), z.number(), z.number(), z.number(), z.number(), z.number()])
      .rest(z.number().nullable()),
  ),
})

export const session = z.object({ access_token: z.string().min(1), user_id: text })
export const profile = z.object({ user_id: text })

/** A text frame of the ticker socket. */
export const tickerText = z.object({ type: z.string(), data: z.unknown() })
