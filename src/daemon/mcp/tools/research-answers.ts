import { z } from 'zod'

/** A value of an indicator; null where the bars are too few. */
export const value = z.number().nullable()

export const trend = z.object({
  direction: z.enum(['up', 'down', 'sideways', 'unknown']),
  close: value,
  sma_20: value,
  sma_50: value,
  ema_20: value,
  plus_di: value,
  minus_di: value,
  adx: value,
})

export const momentum = z.object({
  zone: z.enum(['overbought', 'oversold', 'neutral', 'unknown']),
  close: value,
  rsi: value,
  macd: value,
  macd_signal: value,
  macd_histogram: value,
  stochastic_k: value,
  stochastic_d: value,
  roc_10: value,
})

export const volatility = z.object({
  close: value,
  atr: value,
  atr_percent: value,
  bollinger_upper: value,
  bollinger_middle: value,
  bollinger_lower: value,
  return_deviation_percent_20: value,
})

export const levels = z.object({
  close: value,
  resistance: z.array(z.number()),
  support: z.array(z.number()),
  pivot: z.object({ pivot: value, r1: value, r2: value, s1: value, s2: value }),
})

export const signals = z.object({
  close: value,
  signals: z.array(z.object({ name: z.string(), side: z.enum(['bullish', 'bearish']), detail: z.string() })),
})

export const screened = z.strictObject({
  symbol: z.string(),
  exchange: z.string(),
  value,
  matches: z.boolean(),
  error: z.string().optional(),
})
