import { z } from 'zod'
import { ACTIONS } from '../../orders/schema.js'

/*
 * Dhan's JSON, as far as we read it. Other fields are ignored, and optional numbers default to 0; some numbers come as text.
 * Fields that an order needs are required, so that half a row is never treated as an order.
 */

export const number = z.union([
  z.number(),
  z
    .string()
    .regex(/^\s*[-+]?\d+(\.\d+)?\s*$/)
    .transform(Number)
    .pipe(z.number()),
])
export const amount = number.nullish().transform((value) => value ?? 0)
export const text = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) => (value === null || value === undefined || value === 'NA' ? '' : String(value)))
export const side = z.enum(ACTIONS)

/** A refused trading call. Such a body may also come with status 200. */
export const refusal = z.object({ errorCode: z.string().min(1), errorMessage: text, errorType: text })
/** A refused data call: its code is the name of the only member. */
export const dataRefusal = z.object({ status: z.literal('failed'), data: z.record(z.string(), z.unknown()) })

/** The answer to every call that places, changes or cancels. */
export const orderAnswer = z.object({ orderId: z.string().min(1), orderStatus: text })

/** What names an instrument in a row. */
const place = { exchangeSegment: z.string(), securityId: text, tradingSymbol: text }

export const orderRow = z.object({
  ...place,
  orderId: z.string().min(1),
  correlationId: text,
  orderStatus: z.string(),
  transactionType: side,
  productType: z.string(),
  orderType: z.string(),
  validity: text,
  quantity: number,
  disclosedQuantity: amount,
  price: amount,
  triggerPrice: amount,
  legName: text,
  createTime: text,
  updateTime: text,
  exchangeTime: text,
  omsErrorDescription: text,
  averageTradedPrice: amount,
  filledQty: amount,
})
export type DhanOrder = z.output<typeof orderRow>

export const tradeRow = z.object({
  ...place,
  orderId: z.string().min(1),
  exchangeTradeId: text,
  transactionType: side,
  productType: z.string(),
  tradedQuantity: number,
  tradedPrice: number,
  createTime: text,
  exchangeTime: text,
})
export type DhanTrade = z.output<typeof tradeRow>

export const positionRow = z.object({
  ...place,
  productType: z.string(),
  buyAvg: amount,
  costPrice: amount,
  sellAvg: amount,
  netQty: number,
  realizedProfit: amount,
  unrealizedProfit: amount,
  /** Rupees of one counted unit for each rupee of the price. */
  multiplier: amount,
  carryForwardBuyQty: amount,
  carryForwardSellQty: amount,
  dayBuyValue: amount,
  daySellValue: amount,
})
export type DhanPosition = z.output<typeof positionRow>

export const holdingRow = z.object({
  /** `ALL` where the shares can be sold at every exchange. */
  exchange: text,
  tradingSymbol: text,
  securityId: text,
  totalQty: number,
  dpQty: amount,
  t1Qty: amount,
  avgCostPrice: amount,
  /** Absent in older answers. */
  lastTradedPrice: amount,
})
export type DhanHolding = z.output<typeof holdingRow>

/** The first name is spelled so. */
export const funds = z.object({ availabelBalance: number, collateralAmount: amount, utilizedAmount: amount })

/** Margins of one order have these names; those of several may have the same ones in small letters. */
export const margin = z
  .object({
    totalMargin: number.optional(),
    total_margin: number.optional(),
    spanMargin: number.nullish(),
    span_margin: number.nullish(),
    exposureMargin: number.nullish(),
    exposure_margin: number.nullish(),
  })
  .refine((row) => row.totalMargin !== undefined || row.total_margin !== undefined)

const level = z.object({ price: amount, quantity: amount, orders: amount })

export const quoteRow = z.object({
  last_price: number,
  last_quantity: amount,
  last_trade_time: text,
  buy_quantity: amount,
  sell_quantity: amount,
  /** From the previous close to the last price. */
  net_change: amount,
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
export type DhanQuote = z.output<typeof quoteRow>
/** By segment and security id. The rows are parsed one by one, because an unreadable row must not hide the others. */
export const quoteMap = z.object({ data: z.record(z.string(), z.record(z.string(), z.unknown())) })

const column = z.array(number)
/** Bars as one list for each value. */
export const bars = z.object({
  open: column,
  high: column,
  low: column,
  close: column,
  volume: column,
  /** Epoch seconds. */
  timestamp: column,
  open_interest: column.optional(),
})

export const issuedToken = z.object({ accessToken: z.string().min(1), expiryTime: text, dhanClientId: text })
export const profile = z.object({ dhanClientId: text, tokenValidity: text, dataPlan: text })
