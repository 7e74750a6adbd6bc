import { isObject } from '../../../validation/index.js'
import { hasReference, isBlank } from '../../graph/graph.js'
import {
  computeIndicator,
  INDICATORS,
  type Indicator,
  IndicatorError,
  indicatorNamed,
  readParams,
} from '../../indicators/index.js'
import { jsonIn } from '../../language/json.js'
import type { Body } from '../../ports.js'
import { defineNode, type FieldProblem, NodeError, type NodeRun, succeeded } from '../definition.js'
import { INDICATOR } from '../form.js'
import { anything, flag, list, number, numbers, type Outputs, object, text } from '../output.js'
import { barsOf, type IndicatorInput, nestedBars } from './feed.js'
import { barFields, intervalField, MAX_BARS } from './read-bars.js'

const COLUMNS: Readonly<Record<string, string>> = { o: 'open', h: 'high', l: 'low', c: 'close', v: 'volume' }

const within = (value: number, least: number): number => Math.min(MAX_BARS, Math.max(least, value))

function refuseObject({ params }: Readonly<Body>): FieldProblem[] {
  if (params === undefined || params === null || typeof params === 'string') return []
  return [
    {
      field: 'params',
      code: 'invalid_params',
      message: 'params must be a JSON object written as text, such as {"period": 14}, or a mapping in a file',
      expected: 'text',
      received: Array.isArray(params) ? 'array' : typeof params,
    },
  ]
}

/** Returns the settings, from JSON text or from an object, as older graphs have it. */
function paramsOf(run: NodeRun<'params'>): Body {
  const saved = run.raw('params')
  if (typeof saved !== 'string') {
    run.log('params should be JSON text; the object is used unchanged', 'warning')
    return objectOf(run.resolve(saved))
  }
  const text = run.interpolate(saved)
  const params = jsonIn(text)
  if (params === undefined) throw new NodeError(`Invalid params JSON: ${text}`)
  return objectOf(params)
}

/** Checks settings that are written out against the indicator. */
function paramProblems({ indicatorName, params }: Readonly<Body>): FieldProblem[] {
  const given = typeof params === 'string' ? jsonIn(params) : params
  const name = typeof indicatorName === 'string' ? indicatorName.trim().toLowerCase() : 'sma'
  const row = INDICATORS.get(name)
  const problem = (message: string): FieldProblem[] => [
    { field: 'params', code: 'invalid_params', message, received: params },
  ]
  if (isBlank(params) || hasReference(params) || !row) return []
  if (!isObject(given)) return problem('params is not a JSON object')
  const literal = Object.entries(given).filter(([, value]) => !hasReference(value))
  try {
    readParams(row, Object.fromEntries(literal), Number.POSITIVE_INFINITY)
    return []
  } catch (error) {
    if (!(error instanceof IndicatorError)) throw error
    return problem(error.message)
  }
}

function objectOf(value: unknown): Body {
  if (isObject(value)) return value
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  throw new NodeError(`params must resolve to a JSON object, got ${kind}`)
}

const rounded = (value: number | undefined): number | null =>
  value === undefined ? null : Number(value.toFixed(6)) || 0

/** Returns the results for a workflow: each output separately, without the bars that have no value. */
function views(lines: readonly (readonly number[])[], offset: number, tail: number): Body {
  const keys = resultKeys(lines)
  const present = lines.map((line) => line.filter(Number.isFinite))
  const back = (bars: number) =>
    Object.fromEntries(keys.map((key, at) => [key, rounded(present[at]?.at(-1 - bars))]))
  return {
    outputs: keys,
    latest: back(0),
    previous: back(1),
    at_offset: back(offset),
    series: Array.from({ length: tail }, (_, at) => back(tail - 1 - at)),
  }
}

function compute(indicator: Indicator, input: IndicatorInput, params: Body): readonly (readonly number[])[] {
  const { lines } = computeIndicator(indicator, input.bars, params)
  if (lines.some((line) => line.some(Number.isFinite))) return lines
  throw new NodeError(
    `Indicator '${indicator.name}' produced no value over ${input.length} bars - ` +
      'it needs more bars or shorter periods',
  )
}

/** Converts an error of an indicator to an error of the node. */
function asNodeError<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof IndicatorError ? new NodeError(error.message) : error
  }
}

const OUTPUT = {
  indicator: text('Name of the indicator.'),
  nested: flag('Whether the input was a series of another node.'),
  offset_bars: number('The bar of at_offset.'),
  inputs: list(text(), 'Columns of the input.'),
  params: anything('The given settings.'),
  outputs: list(text(), 'Names of the results: value, or out0, out1 and so on.'),
  latest: anything(
    'Newest value of each result, such as `latest.value` or `latest.out0`. The bar that is still forming counts.',
  ),
  previous: anything('The values before them, such as `previous.value`.'),
  at_offset: anything('The values `offsetBars` before the newest ones.'),
  series: list(anything(), 'The newest values, oldest first, such as `series[0].value`.'),
  bars_used: number('Number of bars in the computation.'),
}

/** Returns the members of the result: those of the indicator that is written out. */
function outputsOf({ indicatorName }: Readonly<Body>): Outputs {
  const name = isBlank(indicatorName) ? 'sma' : String(indicatorName).trim().toLowerCase()
  const names = INDICATORS.get(name)?.outputs
  if (names === undefined) return OUTPUT
  const values = numbers(...resultKeys(names))
  const { latest, previous, at_offset, series } = OUTPUT
  return {
    ...OUTPUT,
    latest: object(values, latest.description),
    previous: object(values, previous.description),
    at_offset: object(values, at_offset.description),
    series: list(object(values), series.description),
  }
}

/** Returns the names under which a workflow reads the results of an indicator. */
function resultKeys(outputs: readonly unknown[]): string[] {
  return outputs.length === 1 ? ['value'] : outputs.map((_, at) => `out${at}`)
}

export const indicator = defineNode({
  type: 'indicator',
  family: 'data',
  effect: 'market',
  storesOutput: true,
  summary: 'Computes a technical indicator over bars, or over the series of another node.',
  fields: {
    ...barFields,
    interval: intervalField,
    indicatorName: {
      kind: 'text',
      required: true,
      default: 'sma',
      form: INDICATOR,
      description: 'Name of the indicator, such as rsi, ema, macd, supertrend.',
    },
    params: {
      kind: 'text',
      embedsJson: true,
      default: '{}',
      jsonText: true,
      description: 'Settings: a mapping such as {period: 14}; in a graph JSON text.',
    },
    lookbackBars: {
      kind: 'integer',
      default: 100,
      min: 1,
      max: MAX_BARS,
      description: 'Number of bars for the computation, 1 to 200. Up to 50 earlier bars warm it up.',
    },
    tailBars: {
      kind: 'integer',
      default: 5,
      min: 1,
      max: MAX_BARS,
      description: 'Length of `series` in the result, 1 to 200.',
    },
    offsetBars: {
      kind: 'integer',
      default: 0,
      min: 0,
      description: 'The bar of `at_offset`, counted back; 0 is the newest.',
    },
    sourceSeries: {
      kind: 'json',
      default: '',
      description: 'A series to use instead of bars: a reference, a list, or JSON text.',
    },
    sourceField: {
      kind: 'text',
      default: '',
      description: 'Member of each row of the series. Default: value, out0 or close.',
    },
  },
  output: OUTPUT,
  outputFor: outputsOf,
  check: refuseObject,
  checkValues: paramProblems,
  run: async (run) => {
    const row = asNodeError(() => indicatorNamed(run.text('indicatorName')))
    const params = paramsOf(run)
    const lookback = within(run.integer('lookbackBars'), 1)
    const tail = within(run.integer('tailBars'), 1)
    const offset = Math.max(0, run.integer('offsetBars'))
    const nested = !run.blank('sourceSeries')
    const input = nested ? nestedBars(run, row) : await barsOf(run, lookback)
    const lines = asNodeError(() => compute(row, input, params))
    return succeeded({
      indicator: row.name,
      nested,
      offset_bars: offset,
      inputs: nested ? ['data (nested)'] : [...row.inputs].map((letter) => COLUMNS[letter] ?? letter),
      params,
      ...views(lines, offset, tail),
      bars_used: input.length,
    })
  },
})
