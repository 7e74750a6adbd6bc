import { z } from 'zod'
import { ACTIONS } from '../../orders/schema.js'

/*
 * Upstox's JSON, as far as we read it. Other fields are ignored, and optional numbers default to 0. Fields that an order needs
 * are required, so that half a row is never treated as an order.
 */

export const amount = z
  .number()
  .nullish()
  .transform((value) => value ?? 0)
export const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
export const side = z.enum(ACTIONS)

export const envelope = z.object({ status: z.string(), data: z.unknown().optional() })

/** A refusal. The fields in the other spelling are the older ones. */
export const refusal = z.object({
  status: z.literal('error'),
  errors: z.array(z.object({ error_code: text, errorCode: text, message: text })).min(1),
})

/** The answer to an order that was not to be sliced: several ids are not the answer to one order. */
export const placed = z.object({ order_ids: z.array(z.string().min(1)).length(1) })
export const changed = z.object({ order_id: z.string().min(1) })

/** What a row is about. Updates of the feed have the key in a field of its own. */
const about = {
  exchange: z.string(),
  instrument_token: text,
  instrument_key: text,
  trading_symbol: text,
  tradingsymbol: text,
}

export const orderRow = z.object({
  ...about,
  order_id: z.string().min(1),
  status: z.string(),
  status_message: text,
  status_message_raw: text,
  order_timestamp: text,
  exchange_timestamp: text,
  order_type: z.string(),
  transaction_type: side,
  product: z.string(),
  validity: text,
  quantity: z.number(),
  disclosed_quantity: amount,
  price: amount,
  trigger_price: amount,
  average_price: amount,
  filled_quantity: amount,
  tag: text,
})
export type UpstoxOrder = z.output<typeof orderRow>

/** One state in the history of a tag: only the order that it is about counts. */
export const historyRow = z.object({ order_id: z.string().min(1) })

export const tradeRow = z.object({
  ...about,
  trade_id: z.string(),
  order_id: z.string(),
  transaction_type: side,
  product: z.string(),
  quantity: z.number(),
  average_price: z.number(),
  exchange_timestamp: text,
  order_timestamp: text,
})
export type UpstoxTrade = z.output<typeof tradeRow>

/** A number that only tells what others count: one that is absent, or is an empty text, proves nothing. */
const evidence = z.number().catch(0)

export const positionRow = z.object({
  ...about,
  product: z.string(),
  quantity: z.number(),
  multiplier: amount,
  /** Null in a closed position. */
  average_price: amount,
  last_price: amount,
  pnl: amount,
  value: evidence,
  overnight_quantity: evidence,
  day_buy_quantity: evidence,
  day_buy_price: evidence,
  day_buy_value: evidence,
  day_sell_quantity: evidence,
  day_sell_price: evidence,
  day_sell_value: evidence,
  /** Of the day, as `unrealised` is. */
  realised: amount,
  unrealised: amount,
})
export type UpstoxPosition = z.output<typeof positionRow>

export const holdingRow = z.object({
  ...about,
  product: text,
  /** All shares, also those that are not delivered yet, and those that orders of today sell. */
  quantity: z.number(),
  average_price: amount,
  last_price: amount,
  pnl: amount,
})
export type UpstoxHolding = z.output<typeof holdingRow>

const total = z
  .object({ total: amount })
  .nullish()
  .transform((part) => part?.total ?? 0)

export const funds = z.object({
  available_to_trade: z.object({
    cash_available_to_trade: z.object({ total: z.number(), margin_used: total }),
    pledge_available_to_trade: z
      .object({ margin_from_pledge: total, margin_used: total })
      .nullish()
      .transform((part) => part ?? { margin_from_pledge: 0, margin_used: 0 }),
  }),
})

export const margin = z.object({
  final_margin: z.number(),
  margins: z.array(z.object({ span_margin: amount, exposure_margin: amount })),
})

const level = z.object({ price: amount, quantity: amount, orders: amount })

export const quoteRow = z.object({
  instrument_token: z.string(),
  timestamp: text,
  /** Epoch milliseconds, as text. */
  last_trade_time: z.union([z.string(), z.number()]).nullish(),
  last_price: z.number(),
  /** From the previous close to the last price; absent where there is none. */
  net_change: z.number().nullish(),
  volume: amount,
  oi: amount,
  total_buy_quantity: amount,
  total_sell_quantity: amount,
  lower_circuit_limit: amount,
  upper_circuit_limit: amount,
  ohlc: z
    .object({ open: amount, high: amount, low: amount })
    .nullish()
    .transform((ohlc) => ohlc ?? { open: 0, high: 0, low: 0 }),
  depth: z
    .object({ buy: z.array(level), sell: z.array(level) })
    .nullish()
    .transform((depth) => depth ?? { buy: [], sell: [] }),
})
export type UpstoxQuote = z.output<typeof quoteRow>
/** The rows are parsed one by one, because an unreadable row must not hide the others. */
export const quoteMap = z.record(z.string(), z.unknown())

export const candles = z.object({
  candles: z.array(
    z
      .tuple([z.string(), z.number(), z.number(), z.number(), z.number(), z.number()])
      .rest(z.number().nullable()),
  ),
})
export type CandleRow = z.output<typeof candles>['candles'][number]

export const token = z.object({ access_token: z.string().min(1), user_id: text })
export const profile = z.object({ user_id: text })

/** The address of a feed, which works once. */
export const feedAddress = z
  .object({ authorized_redirect_uri: text, authorizedRedirectUri: text })
  .transform((found) => found.authorized_redirect_uri || found.authorizedRedirectUri)
  .pipe(z.string().regex(/^wss?:/))

export const feedText = z.object({ update_type: z.string() })
