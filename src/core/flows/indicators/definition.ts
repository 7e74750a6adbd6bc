/** Bars as columns, oldest first: the input of an indicator. */
export interface Bars {
  readonly open: readonly number[]
  readonly high: readonly number[]
  readonly low: readonly number[]
  readonly close: readonly number[]
  readonly volume: readonly number[]
  /** Start of each bar in epoch seconds; undefined if the values do not come from bars. */
  readonly time?: readonly number[]
}

/** One value per bar; NaN if a bar has none. */
export type Line = readonly number[]

/** `period`: a window, at most as long as the data. `count`: at least 1. `shift`: at least 0. */
type ParamKind = 'period' | 'count' | 'shift' | 'number' | 'text' | 'flag'
export type ParamValue = number | string | boolean

export interface Param<T extends ParamValue = ParamValue> {
  readonly kind: ParamKind
  readonly default: T
  /** The only texts allowed, ignoring case. */
  readonly choices?: readonly string[]
}

export type ParamValues = Readonly<Record<string, ParamValue>>

const CATEGORIES = [
  'Trend',
  'Momentum',
  'Volatility',
  'Volume',
  'Oscillators',
  'Statistical',
  'Hybrid',
  'Price Transform',
  'Utility',
] as const
type Category = (typeof CATEGORIES)[number]

/** One row of the table of indicators. */
export interface Indicator {
  readonly name: string
  /** Its full name. */
  readonly title: string
  readonly category: Category
  /** The columns it uses, a subset of `ohlcv`. */
  readonly inputs: string
  /** True if it takes a single series, and so also the output of another indicator. */
  readonly nestable: boolean
  readonly params: Readonly<Record<string, Param>>
  /** The names of the results, in order. */
  readonly outputs: readonly string[]
  /** @throws IndicatorError for settings that cannot be computed */
  compute(bars: Bars, params: ParamValues): readonly Line[]
}

/** Settings or data that an indicator cannot use. The message is shown to users. */
export class IndicatorError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'IndicatorError'
  }
}

export const period = (value: number): Param<number> => ({ kind: 'period', default: value })
export const count = (value: number): Param<number> => ({ kind: 'count', default: value })
export const shiftBy = (value: number): Param<number> => ({ kind: 'shift', default: value })
export const factor = (value: number): Param<number> => ({ kind: 'number', default: value })
export const flag = (value: boolean): Param<boolean> => ({ kind: 'flag', default: value })
export const text = (value: string, choices?: readonly string[]): Param<string> => ({
  kind: 'text',
  default: value,
  ...(choices && { choices }),
})

type ValuesOf<P extends Readonly<Record<string, Param>>> = {
  readonly [K in keyof P]: P[K] extends Param<infer T> ? T : never
}

/**
 * Returns a function that makes rows of one category. A `*` in `inputs` marks a nestable indicator. `compute`
 * receives exactly the parameters of its row.
 */
export function rowsOf(category: Category) {
  return <const P extends Readonly<Record<string, Param>>>(
    name: string,
    title: string,
    inputs: string,
    params: P,
    outputs: readonly string[],
    compute: (bars: Bars, params: ValuesOf<P>) => readonly Line[],
  ): Indicator => {
    const row: Omit<Indicator, 'compute'> & { compute(bars: Bars, params: ValuesOf<P>): readonly Line[] } = {
      name,
      title,
      category,
      inputs: inputs.replace('*', ''),
      nestable: inputs.endsWith('*'),
      params,
      outputs,
      compute,
    }
    return row
  }
}
