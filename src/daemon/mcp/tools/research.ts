import { z } from 'zod'
import {
  correlationOf,
  levelsOf,
  momentumOf,
  rounded,
  signalsOf,
  trendOf,
  volatilityOf,
} from '../../../core/analysis/index.js'
import { PublicError, validationError } from '../../../core/errors/index.js'
import { type Bars, computeIndicator, IndicatorError, indicatorNamed } from '../../../core/flows/index.js'
import { fields } from '../../../core/validation/index.js'
import { columnsOf, count, intervalField, symbolFields } from './bars.js'
import { computedTools } from './build.js'
import { levels, momentum, screened, signals, trend, value, volatility } from './research-answers.js'
import type { Tool } from './tool.js'

const research = computedTools({ scope: 'read:market', toolset: 'research' })

/** Bars before the newest, so that averages settle. */
const WARM_UP = 150
const MOST_SYMBOLS = 25

const interval = intervalField.default('D')
const snapshotInput = z.strictObject({ ...symbolFields, interval })
const head = { symbol: z.string(), exchange: z.string(), interval: z.string() }
const params = z
  .record(z.string().max(40), z.union([z.number(), z.string().max(40), z.boolean()]))
  .default({})
  .meta({
    description: 'Settings of the indicator, such as {"period": 20}; those left out have their defaults.',
  })
const indicator = fields
  .text(40)
  .meta({ description: 'Name of the indicator, such as rsi, ema, macd, bbands or supertrend.' })

/** Computes an indicator. @throws ServiceError `validation` for a name or settings that cannot be computed */
function computed(bars: Bars, name: string, settings: z.output<typeof params>) {
  try {
    const one = indicatorNamed(name)
    const { lines, params: used } = computeIndicator(one, bars, settings)
    return { outputs: one.outputs, lines, used }
  } catch (error) {
    if (error instanceof IndicatorError) throw validationError({ indicator: [error.message] })
    throw error
  }
}

const snapshot = <O extends z.ZodRawShape>(
  name: string,
  facts: { title: string; description: string; output: z.ZodObject<O>; of: (bars: Bars) => object },
): Tool =>
  research(name, {
    title: facts.title,
    description: `${facts.description} It describes the past and is no advice.`,
    input: snapshotInput,
    output: z.object({ ...head, ...facts.output.shape }),
    run: async (input, context) => {
      const bars = await columnsOf(context, { ...input, bars: WARM_UP })
      return { ...input, ...facts.of(bars) }
    },
  })

export const RESEARCH_TOOLS: readonly Tool[] = [
  research('calculate_indicator', {
    title: 'Compute an indicator',
    description:
      'Computes one of the indicators of workflows (docs/indicators.md) over bars, and returns its newest values, oldest first.',
    input: z.strictObject({
      ...symbolFields,
      interval,
      indicator,
      params,
      bars: count(1, 200)
        .default(20)
        .meta({ description: 'How many values are returned, up to 200; 20 by default.' }),
    }),
    output: z.strictObject({
      ...head,
      indicator: z.string(),
      params: z.record(z.string(), z.unknown()),
      outputs: z.array(z.string()),
      values: z.array(z.strictObject({ timestamp: z.number(), values: z.array(value) })),
    }),
    run: async ({ indicator: name, params: settings, bars: barCount, ...ref }, context) => {
      const bars = await columnsOf(context, { ...ref, bars: barCount + WARM_UP })
      const { lines, outputs, used } = computed(bars, name, settings)
      const values = bars.time.map((timestamp, at) => ({
        timestamp,
        values: lines.map((line) => rounded(line[at])),
      }))
      return {
        ...ref,
        indicator: name,
        params: { ...used },
        outputs: [...outputs],
        values: values.slice(-barCount),
      }
    },
  }),
  snapshot('get_trend_snapshot', {
    title: 'Describe the trend',
    description:
      'Returns whether the price goes up, down or sideways, with averages and ADX: up means above its average of 50 bars, +DI above -DI, ADX 20 or more.',
    output: trend,
    of: trendOf,
  }),
  snapshot('get_momentum_snapshot', {
    title: 'Describe the momentum',
    description:
      'Returns RSI, MACD, stochastic and rate of change. Overbought is an RSI of 70 or more, oversold of 30 or less.',
    output: momentum,
    of: momentumOf,
  }),
  snapshot('get_volatility_snapshot', {
    title: 'Describe the volatility',
    description: 'Returns average true range, Bollinger Bands and the deviation of the returns of 20 bars.',
    output: volatility,
    of: volatilityOf,
  }),
  snapshot('get_support_resistance', {
    title: 'Find support and resistance',
    description:
      'Returns the nearest prices above and below the close at which earlier moves turned, and the pivot points of the bar before.',
    output: levels,
    of: levelsOf,
  }),
  snapshot('detect_signals', {
    title: 'Detect signals',
    description:
      'Returns what happened on the newest bar: crossings of averages and MACD, RSI leaving an extreme, closes outside the Bollinger Bands.',
    output: signals,
    of: (bars) => ({ close: rounded(bars.close.at(-1)), signals: signalsOf(bars) }),
  }),
  research('screen_instruments', {
    title: 'Screen instruments',
    description: `Compares the newest value of an indicator with a level, for up to ${MOST_SYMBOLS} symbols. A symbol without bars has an error.`,
    input: z.strictObject({
      symbols: fields
        .list(z.strictObject(symbolFields))
        .min(1, 'Shorter than minimum length 1.')
        .max(MOST_SYMBOLS, `Longer than maximum length ${MOST_SYMBOLS}.`),
      interval,
      indicator,
      params,
      condition: fields
        .oneOf(['above', 'below'])
        .meta({ description: 'The side of the level that matches.' }),
      level: fields.number().meta({ description: 'The level, in the unit of the indicator.' }),
    }),
    output: z.strictObject({ interval: z.string(), indicator: z.string(), data: z.array(screened) }),
    run: async (
      { symbols, condition, level, indicator: name, params: settings, interval: length },
      context,
    ) => {
      const data: z.input<typeof screened>[] = []
      // One after the other: brokers limit how often bars may be asked for.
      for (const ref of symbols) {
        try {
          const bars = await columnsOf(context, { ...ref, interval: length, bars: WARM_UP })
          const now = rounded(computed(bars, name, settings).lines[0]?.at(-1))
          const matches = now !== null && (condition === 'above' ? now > level : now < level)
          data.push({ ...ref, value: now, matches })
        } catch (error) {
          if (!(error instanceof PublicError)) throw error
          data.push({ ...ref, value: null, matches: false, error: error.message })
        }
      }
      return { interval: length, indicator: name, data }
    },
  }),
  research('multi_timeframe_analysis', {
    title: 'Compare timeframes',
    description:
      'Returns the trend of a symbol over several bar lengths, and whether they agree. It describes the past and is no advice.',
    input: z.strictObject({
      ...symbolFields,
      intervals: fields
        .list(intervalField)
        .min(1, 'Shorter than minimum length 1.')
        .max(5, 'Longer than maximum length 5.')
        .default(['15m', '1h', 'D'])
        .meta({ description: 'Up to five bar lengths.' }),
    }),
    output: z.strictObject({
      symbol: z.string(),
      exchange: z.string(),
      agreement: z.enum(['up', 'down', 'mixed']),
      data: z.array(trend.extend({ interval: z.string() })),
    }),
    run: async ({ intervals, ...ref }, context) => {
      const data = []
      for (const length of intervals) {
        const bars = await columnsOf(context, { ...ref, interval: length, bars: WARM_UP })
        data.push({ interval: length, ...trendOf(bars) })
      }
      const directions = new Set(data.map(({ direction }) => direction))
      const [only] = directions
      const agreement = directions.size === 1 && (only === 'up' || only === 'down') ? only : 'mixed'
      return { ...ref, agreement, data }
    },
  }),
  research('correlation_beta', {
    title: 'Compute correlation and beta',
    description:
      'Compares the returns of a symbol with those of a benchmark over the bars that both have. With fewer than 20 of them both are null.',
    input: z.strictObject({
      ...symbolFields,
      benchmark: fields.text(100).default('NIFTY').meta({ description: 'Symbol of the benchmark.' }),
      benchmark_exchange: symbolFields.exchange.unwrap().default('NSE_INDEX'),
      interval,
      bars: count(20, 500)
        .default(120)
        .meta({ description: 'How many bars are compared, up to 500; 120 by default.' }),
    }),
    output: z.strictObject({
      ...head,
      benchmark: z.string(),
      benchmark_exchange: z.string(),
      bars: z.number(),
      correlation: value,
      beta: value,
    }),
    run: async ({ benchmark, benchmark_exchange, bars, ...ref }, context) => {
      const other = { symbol: benchmark, exchange: benchmark_exchange, interval: ref.interval, bars }
      const [one, against] = [await columnsOf(context, { ...ref, bars }), await columnsOf(context, other)]
      return { ...ref, benchmark, benchmark_exchange, ...correlationOf(one, against) }
    },
  }),
]
