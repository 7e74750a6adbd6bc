import { isObject } from '../../../validation/index.js'
import type { Bars, Indicator } from '../../indicators/index.js'
import { jsonIn } from '../../language/json.js'
import { parseNumber } from '../../language/numbers.js'
import { NodeError, type NodeRun } from '../definition.js'
import { type Bar, MAX_BARS, newestDays, readBars, symbolOf } from './read-bars.js'

/** Most values of a series that is no price history: some indicators take the square of the time. */
export const MAX_SERIES = 1000
/** Additional bars before the requested ones, so that averages settle. */
const WARM_UP = 50

/** The input of an indicator. */
export interface IndicatorInput {
  bars: Bars
  length: number
}

/** Reads the requested bars of a symbol and those that warm them up, at most 200, oldest first. */
export async function barsOf(
  run: NodeRun<'symbol' | 'exchange' | 'interval' | 'source'>,
  lookback: number,
): Promise<IndicatorInput> {
  const interval = run.text('interval').trim()
  const barCount = Math.min(MAX_BARS, lookback + WARM_UP)
  const read = await readBars(run, {
    symbol: symbolOf(run),
    exchange: run.text('exchange'),
    interval,
    source: run.text('source'),
    ...newestDays(run, barCount, interval),
  })
  const rows = read.slice(-barCount)
  const column = (name: Exclude<keyof Bar, 'oi'>) => rows.map((row) => row[name])
  return {
    bars: {
      open: column('open'),
      high: column('high'),
      low: column('low'),
      close: column('close'),
      volume: column('volume'),
      time: column('timestamp'),
    },
    length: rows.length,
  }
}

/** Returns the series of another node as the single column of an indicator. */
export function nestedBars(
  run: NodeRun<'sourceSeries' | 'sourceField'>,
  indicator: Indicator,
): IndicatorInput {
  if (!indicator.nestable) {
    throw new NodeError(`Indicator '${indicator.name}' cannot be computed over sourceSeries: it needs bars`)
  }
  const values = seriesValues(run.value('sourceSeries'), run.text('sourceField').trim())
  if (values.length < 2) {
    throw new NodeError(`sourceSeries needs at least 2 values, got ${values.length}`)
  }
  const none = values.map(() => 0)
  return {
    bars: { open: values, high: values, low: values, close: values, volume: none },
    length: values.length,
  }
}

function seriesValues(source: unknown, field: string): number[] {
  const given = listOf(source)
  if (given.length > MAX_SERIES) {
    throw new NodeError(`sourceSeries has ${given.length} values, more than ${MAX_SERIES}`)
  }
  const items = given.map((item) => (isObject(item) ? memberOf(item, field) : item))
  // Leading rows without a value only keep the length of the series, so they are skipped.
  const first = items.findIndex((item) => item !== null && item !== undefined)
  return items.slice(Math.max(0, first)).map((item) => {
    const number = typeof item === 'boolean' ? undefined : parseNumber(item)
    if (number !== undefined) return number
    throw new NodeError(`sourceSeries contains a non-numeric value: ${JSON.stringify(item) ?? 'nothing'}`)
  })
}

function listOf(source: unknown): readonly unknown[] {
  const value = typeof source === 'string' ? parsed(source) : source
  if (Array.isArray(value)) return value
  throw new NodeError('sourceSeries must resolve to an array')
}

function parsed(text: string): unknown {
  const value = jsonIn(text)
  if (value === undefined) throw new NodeError('sourceSeries did not resolve to a JSON array')
  return value
}

function memberOf(row: Readonly<Record<string, unknown>>, field: string): unknown {
  if (field !== '') return Object.hasOwn(row, field) ? row[field] : undefined
  return row.value ?? row.out0 ?? row.close
}
