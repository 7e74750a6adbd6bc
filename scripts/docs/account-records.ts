import { z } from 'zod'
import type {
  FundRecord,
  HoldingRecord,
  OrderRecord,
  PositionRecord,
  TradeRecord,
} from '../../src/client/answers/records.js'

/* The records of the account as the command line shows them in either mode. The compiler ties them to their types. */

const text = z.string()
const number = z.number()
const time = z.string().meta({ format: 'date-time' })
const mode = z.enum(['live', 'analyze'])
const optional = number
  .optional()
  .meta({ description: 'The multiplier of the contract; absent where it is 1.' })

const order = z.strictObject({
  orderid: text.meta({ description: 'Empty for a refusal that never became an order.' }),
  timestamp: time,
  symbol: text,
  exchange: text,
  action: text,
  product: text,
  pricetype: text,
  quantity: number,
  filled_quantity: number,
  pending_quantity: number,
  price: number,
  trigger_price: number,
  average_price: number,
  order_status: text,
  rejection_reason: text,
  contract_value: optional,
  mode,
}) satisfies z.ZodType<OrderRecord>

const trade = z.strictObject({
  orderid: text,
  timestamp: time,
  symbol: text,
  exchange: text,
  action: text,
  product: text,
  quantity: number,
  average_price: number,
  trade_value: number,
  mode,
}) satisfies z.ZodType<TradeRecord>

const position = z.strictObject({
  symbol: text,
  exchange: text,
  product: text,
  quantity: number,
  average_price: number,
  ltp: number,
  pnl: number,
  pnlpercent: number,
  contract_value: optional,
  warning: text.optional(),
  mode,
}) satisfies z.ZodType<PositionRecord>

const holding = z.strictObject({
  symbol: text,
  exchange: text,
  product: text,
  quantity: number,
  average_price: number,
  ltp: number,
  current_value: number,
  pnl: number,
  pnlpercent: number,
  mode,
}) satisfies z.ZodType<HoldingRecord>

const fund = z.strictObject({
  availablecash: number,
  utiliseddebits: number,
  collateral: number,
  m2mrealized: number,
  m2munrealized: number,
  totalpnl: number,
  mode,
}) satisfies z.ZodType<FundRecord>

export const ACCOUNT_RECORDS = { order, trade, position, holding, fund }
