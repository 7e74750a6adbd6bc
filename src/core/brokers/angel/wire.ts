import { z } from 'zod'
import { istInstant } from '../../time/index.js'
import { instantOf } from '../kit/books/stamps.js'

/* Angel's JSON, as far as it is read. It writes numbers as text or as numbers, and null where there is nothing. An absent number is 0, except for the quantity that a row is about. */

const number = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) => (value === undefined || value === null || value === '' ? 0 : Number(value)))
  .pipe(z.number())
/** A number that an answer must have: without it, a position would count as flat, a price or a margin as 0. */
const required = z
  .union([z.string().trim().min(1), z.number()])
  .transform(Number)
  .pipe(z.number())
const text = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) => String(value ?? '').trim())
const id = z
  .union([z.string(), z.number()])
  .transform((value) => String(value).trim())
  .pipe(z.string().min(1))
const flag = z
  .union([z.boolean(), z.enum(['true', 'false'])])
  .transform((value) => value === true || value === 'true')

export const envelope = z
  .object({
    status: flag.optional(),
    success: flag.optional(),
    message: text,
    errorcode: text,
    errorCode: text,
    data: z.unknown().optional(),
  })
  .refine(({ status, success }) => status !== undefined || success !== undefined)
  .transform(({ data, errorcode, errorCode, message, status, success }) => ({
    isSuccess: status ?? success ?? false,
    code: errorcode || errorCode,
    message,
    data,
  }))

/** A list, which is null when it is empty. */
export const listOf = <Row extends z.ZodType>(row: Row) =>
  z
    .array(row)
    .nullish()
    .transform((rows) => rows ?? [])

export const tokens = z.object({ jwtToken: z.string().min(1), refreshToken: text, feedToken: text })
export const profile = z.object({ clientcode: z.string().min(1) })

/** What a row is about, in Angel's spelling. */
const what = { exchange: z.string(), tradingsymbol: z.string(), symboltoken: text }
export interface Place {
  exchange: string
  tradingsymbol: string
  symboltoken: string
}
const side = z.enum(['BUY', 'SELL'])

export const placed = z.object({ orderid: id, uniqueorderid: text })
export const changed = z.object({ orderid: id })

export const orderRow = z.object({
  ...what,
  orderid: id,
  uniqueorderid: text,
  ordertag: text,
  variety: text,
  ordertype: text,
  producttype: text,
  duration: text,
  transactiontype: side,
  quantity: required,
  disclosedquantity: number,
  filledshares: number,
  price: number,
  triggerprice: number,
  averageprice: number,
  status: text,
  orderstatus: text,
  text,
  updatetime: text,
  exchorderupdatetime: text,
  exchtime: text,
})
export type OrderRow = z.output<typeof orderRow>

export const tradeRow = z.object({
  ...what,
  orderid: id,
  fillid: id,
  transactiontype: side,
  producttype: text,
  fillprice: required,
  fillsize: required,
  filltime: text,
})
export type TradeRow = z.output<typeof tradeRow>

/** A position of the day, with what is carried (`cf…`) and what was traded today. */
export const positionRow = z.object({
  ...what,
  producttype: text,
  symbolname: text,
  netqty: required,
  avgnetprice: number,
  cfbuyqty: number,
  cfsellqty: number,
  buyamount: number,
  sellamount: number,
  ltp: number,
  pnl: number,
  realised: number,
  unrealised: number,
})
export type PositionRow = z.output<typeof positionRow>

export const holdingRow = z.object({
  ...what,
  product: text,
  quantity: required,
  averageprice: number,
  ltp: number,
  profitandloss: number,
})
export type HoldingRow = z.output<typeof holdingRow>
export const holdings = z
  .object({ holdings: listOf(holdingRow) })
  .nullish()
  .transform((answer) => answer?.holdings ?? [])

export const funds = z.object({
  availablecash: required,
  collateral: number,
  utiliseddebits: number,
  m2munrealized: number,
  m2mrealized: number,
})

const level = z.object({ price: number, quantity: number, orders: number })
const noDepth = { buy: [], sell: [] }

export const quoteRow = z.object({
  exchange: z.string(),
  symbolToken: text,
  ltp: required,
  open: number,
  high: number,
  low: number,
  close: number,
  lastTradeQty: number,
  exchFeedTime: text,
  exchTradeTime: text,
  tradeVolume: number,
  opnInterest: number,
  lowerCircuit: number,
  upperCircuit: number,
  totBuyQuan: number,
  totSellQuan: number,
  depth: z.object({ buy: listOf(level), sell: listOf(level) }).default(noDepth),
})
export type QuoteRow = z.output<typeof quoteRow>
export const quotes = z
  .object({ fetched: listOf(z.unknown()) })
  .nullish()
  .transform((answer) => answer?.fetched ?? [])

/** Time, open, high, low, close, volume. */
export const candles = listOf(
  z.tuple([z.string(), required, required, required, required, number]).rest(z.unknown()),
)
export const interest = listOf(z.object({ time: z.string(), oi: number }))

export const margin = z.object({
  totalMarginRequired: required,
  marginComponents: z.object({ spanMargin: number }).optional(),
})

export const ruleId = z.object({ id })
export const ruleRow = z.object({
  ...what,
  id,
  status: text,
  producttype: text,
  transactiontype: side,
  price: number,
  qty: required,
  triggerprice: number,
  createddate: text,
  updateddate: text,
  expirydate: text,
})
export type RuleRow = z.output<typeof ruleRow>

export const orderUpdate = z.object({
  'status-code': text,
  'error-message': text,
  orderData: z.unknown().optional(),
})

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAY_FIRST = /^(\d{2})-([A-Za-z]{3})-(\d{4}) (\d{2}:\d{2}:\d{2})$/

/** Converts `29-Nov-2026 10:15:00` or `2026-11-29 10:15:00` (IST), or a time with its zone, to epoch milliseconds; 0 for others. */
export function angelTime(written: string): number {
  const [, day, word = '', year, time] = DAY_FIRST.exec(written) ?? []
  const month = MONTHS.indexOf(word.toLowerCase()) + 1
  const at = day ? istInstant(`${year}-${String(month).padStart(2, '0')}-${day}`, time) : instantOf(written)
  return Number.isNaN(at) ? 0 : at
}
