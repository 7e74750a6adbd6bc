import { z } from 'zod'
import { amount, count, message, ok, text } from '../common/answers.js'

/** Answers of market data, instruments, options and calendar (docs/api.md, "Market data and instruments"). */

const day = {
  open: amount,
  high: amount,
  low: amount,
  ltp: amount,
  prev_close: amount,
  volume: amount,
  oi: amount,
}
const quote = z.strictObject({ ...day, ask: amount, bid: amount, bid_qty: amount, ask_qty: amount })
const named = { symbol: text, exchange: text }

export const quotes = ok({ data: quote })
export const multiQuotes = ok({
  results: z.array(
    z.union([
      z.strictObject({ ...named, data: quote }),
      z.strictObject({ ...named, error: text }).meta({ description: 'There is no quote.' }),
    ]),
  ),
})

const level = z.strictObject({ price: amount, quantity: amount })
export const depth = ok({
  data: z.strictObject({
    ...day,
    asks: z.array(level),
    bids: z.array(level),
    ltq: amount,
    totalbuyqty: amount,
    totalsellqty: amount,
  }),
})

export const candles = ok({
  data: z.array(
    z.strictObject({
      timestamp: count.meta({ description: 'Start of the bar, in epoch seconds.' }),
      open: amount,
      high: amount,
      low: amount,
      close: amount,
      volume: amount,
      oi: amount,
    }),
  ),
})

const names = z.array(text)
export const intervals = ok({
  data: z.strictObject({
    seconds: names,
    minutes: names,
    hours: names,
    days: names,
    weeks: names,
    months: names,
  }),
})

const listedFields = {
  ...named,
  brsymbol: text,
  name: text,
  brexchange: text,
  token: text,
  expiry: text.meta({ description: 'DD-MMM-YY, or empty.' }),
  strike: amount,
  lotsize: amount,
  instrumenttype: text,
  tick_size: amount,
}
const foundFields = { ...listedFields, freeze_qty: amount }

export const symbol = ok({ data: z.strictObject({ id: count, ...foundFields }) })
export const search = ok({ message, data: z.array(z.strictObject(foundFields)) })
export const expiry = ok({ message, data: z.array(text) })
export const instruments = ok({ message, data: z.array(z.strictObject(listedFields)) })

/** The answer of the session routes: without a status, and with the size of a contract. */
export const found = z.strictObject({
  total: count,
  results: z.array(z.strictObject({ ...foundFields, contract_value: amount.nullable() })),
})
export const expiries = ok({ expiries: names })
export const underlyings = ok({ underlyings: names })

export const optionSymbol = ok({
  ...named,
  lotsize: amount,
  tick_size: amount,
  freeze_qty: amount,
  underlying_ltp: amount,
})

const side = z
  .strictObject({
    symbol: text,
    label: text.meta({ description: 'ATM, ITM1, OTM1, …' }),
    ltp: amount,
    bid: amount,
    ask: amount,
    bid_qty: amount,
    ask_qty: amount,
    open: amount,
    high: amount,
    low: amount,
    prev_close: amount,
    volume: amount,
    oi: amount,
    lotsize: amount,
    tick_size: amount,
    implied_volatility: amount.optional(),
    delta: amount.optional(),
    gamma: amount.optional(),
    theta: amount.optional(),
    vega: amount.optional(),
  })
  .nullable()

export const optionChain = ok({
  underlying: text,
  underlying_symbol: text,
  underlying_exchange: text,
  underlying_ltp: amount,
  underlying_prev_close: amount,
  expiry_date: text,
  expiry_ts: count.nullable(),
  server_ts: count,
  atm_strike: amount,
  quotes_included: z.boolean(),
  greeks_included: z.boolean(),
  forward_price: amount.nullable(),
  chain: z.array(z.strictObject({ strike: amount, ce: side, pe: side })),
})

export const syntheticFuture = ok({
  underlying: text,
  underlying_ltp: amount,
  expiry: text,
  atm_strike: amount,
  synthetic_future_price: amount,
})

export const optionGreeks = ok({
  ...named,
  underlying: text,
  strike: amount,
  option_type: z.enum(['CE', 'PE']),
  expiry_date: text,
  days_to_expiry: amount,
  spot_price: amount,
  option_price: amount,
  interest_rate: amount,
  implied_volatility: amount,
  greeks: z.strictObject({ delta: amount, gamma: amount, theta: amount, vega: amount, rho: amount }),
  intrinsic_value: amount.optional(),
  time_value: amount.optional(),
  note: text.optional(),
})

export const multiOptionGreeks = z.strictObject({
  status: z.enum(['success', 'partial', 'error']),
  data: z.array(z.union([optionGreeks, z.strictObject({ status: z.literal('error'), ...named, message })])),
  summary: z.strictObject({ total: count, success: count, failed: count }),
  message: message.optional(),
})

/** A member of an answer about days whose year is not complete in the calendar. */
export const gap = {
  warning: text.optional().meta({
    description: 'Present when the calendar lacks holidays of the year; they count as trading days.',
  }),
}
export const window = z.strictObject({
  exchange: text,
  start_time: count.meta({ description: 'Epoch milliseconds.' }),
  end_time: count.meta({ description: 'Epoch milliseconds.' }),
})
export const holidays = ok({
  year: count,
  timezone: text,
  data: z.array(
    z.strictObject({
      date: text,
      description: text,
      holiday_type: text,
      closed_exchanges: names,
      open_exchanges: z.array(window),
    }),
  ),
  ...gap,
})
export const timings = ok({ data: z.array(window), ...gap })
export const holiday = ok({
  data: z.strictObject({ date: text, exchange: text, is_holiday: z.boolean() }),
  ...gap,
})

export const preferences = ok({ data: z.record(z.string(), z.unknown()) })
