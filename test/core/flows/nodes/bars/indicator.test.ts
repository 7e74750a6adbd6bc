import { describe, expect, it } from 'vitest'
import { indicator } from '../../../../../src/core/flows/nodes/bars/indicator.js'
import type { Body } from '../../../../../src/core/flows/ports.js'
import { GOLDEN, goldenBars } from '../../indicators/golden.js'
import { runNode } from '../../support.js'

const BARS = goldenBars()
const ROWS: Body[] = BARS.close.map((close, at) => ({
  timestamp: 1_700_000_000 + at * 86_400,
  open: BARS.open[at],
  high: BARS.high[at],
  low: BARS.low[at],
  close,
  volume: BARS.volume[at],
}))
const READS = { history: { data: ROWS } }
const SBIN = { symbol: 'SBIN', indicatorName: 'sma' }

describe('indicator', () => {
  it('returns the indicator, its input and its newest values', async () => {
    const { result, ports } = await runNode(
      indicator,
      { ...SBIN, indicatorName: ' MACD ', lookbackBars: 200, tailBars: 2, offsetBars: 1 },
      { reads: READS },
    )
    const latest = { out0: -3.631134, out1: 4.249934, out2: -7.881067 }
    expect(result).toMatchObject({
      status: 'success',
      indicator: 'macd',
      nested: false,
      offset_bars: 1,
      inputs: ['close'],
      params: {},
      outputs: ['out0', 'out1', 'out2'],
      latest,
      bars_used: 200,
    })
    expect(result?.at_offset).toEqual(result?.previous)
    expect(result?.series).toEqual([result?.previous, latest])
    expect(ports.asked[0]?.body).toEqual({
      symbol: 'SBIN',
      exchange: 'NSE',
      interval: 'D',
      source: 'api',
      start_date: '2025-12-30',
      end_date: '2026-11-20',
    })
  })

  it.each(GOLDEN)('computes %s over 200 bars', async (indicatorName, _inputs, newest) => {
    const { result } = await runNode(
      indicator,
      { ...SBIN, indicatorName, lookbackBars: 200 },
      { reads: READS },
    )
    const values = Object.values((result?.latest ?? {}) as Body)
    // Daily bars accumulate, so even vwap does not depend on a calendar.
    expect(values).toEqual([...newest])
  })

  it('warms up with 50 more bars than requested, at most 200', async () => {
    const used = async (lookbackBars: number) =>
      (await runNode(indicator, { ...SBIN, lookbackBars }, { reads: READS })).result?.bars_used
    expect(await used(100)).toBe(150)
    expect(await used(180)).toBe(200)
    expect(await used(0)).toBe(51)
    expect(await used(999)).toBe(200)
  })

  it('reads settings from text with references', async () => {
    const { result } = await runNode(
      indicator,
      { ...SBIN, params: '{"period": {{n}}}', tailBars: 1 },
      { reads: READS, variables: { n: 2 } },
    )
    expect(result).toMatchObject({ params: { period: 2 }, outputs: ['value'], latest: { value: 1022.545 } })
  })

  it('accepts settings stored as an object, and logs it', async () => {
    const { result, logs } = await runNode(indicator, { ...SBIN, params: { period: 2 } }, { reads: READS })
    expect(result?.latest).toEqual({ value: 1022.545 })
    expect(logs).toEqual([
      { level: 'warning', message: 'params should be JSON text; the object is used unchanged' },
    ])
    expect(indicator.check?.({ params: { period: 2 } }, false)).toMatchObject([{ code: 'invalid_params' }])
    expect(indicator.check?.({ params: '{"period": 2}' }, true)).toEqual([])
  })

  it('returns null for missing values', async () => {
    const { result } = await runNode(
      indicator,
      { ...SBIN, params: '{"period": 3}', tailBars: 3, offsetBars: 5 },
      { reads: { history: { data: ROWS.slice(0, 4) } } },
    )
    expect(result?.at_offset).toEqual({ value: null })
    expect(result?.series).toEqual([{ value: null }, result?.previous, result?.latest])
  })

  it.each([
    [{ symbol: '' }, 'Symbol is required'],
    [{ indicatorName: 'smaa' }, "unknown indicator 'smaa'"],
    [{ indicatorName: 'crossover' }, "Indicator 'crossover' compares two series"],
    [{ params: '{period: 3}' }, 'Invalid params JSON: {period: 3}'],
    [{ params: '[1]' }, 'params must resolve to a JSON object, got array'],
    [{ params: '{"length": 3}' }, "Indicator 'sma' has no parameter 'length'"],
    [{ params: '{"period": 2.5}' }, 'Period must be a whole number, got 2.5'],
    [{ params: '{"period": 0}' }, 'Period must be positive, got 0'],
    [
      { params: '{"period": 500}', lookbackBars: 200 },
      'Period (500) cannot be greater than data length (200)',
    ],
    [{ indicatorName: 'crsi', lookbackBars: 1 }, "Indicator 'crsi' produced no value over 51 bars - "],
  ])('fails: %o', async (wrong, message) => {
    const { failure } = await runNode(indicator, { ...SBIN, ...wrong }, { reads: READS })
    expect(failure).toContain(message)
  })

  it('fails when bars cannot be read, with a hint', async () => {
    const reads = { history: { status: 'error', message: 'Invalid interval' } }
    const { failure } = await runNode(indicator, { ...SBIN, interval: '7m' }, { reads })
    expect(failure).toMatch(/^History fetch failed for SBIN \(7m\): Invalid interval\. The intervals node/)
  })
})

describe('indicator over the series of another node', () => {
  const nested = (sourceSeries: unknown, more: Body = {}, variables: Body = {}) =>
    runNode(
      indicator,
      { symbol: '', exchange: '', indicatorName: 'sma', params: '{"period": 2}', sourceSeries, ...more },
      { variables },
    )

  it.each([
    ['{{r.series}}', {}, { r: { series: [{ value: 1 }, { value: 2 }, { value: 6 }] } }],
    ['{{r.series}}', {}, { r: { series: [{ value: null }, { value: 2 }, { value: 6 }] } }],
    ['{{h.data}}', {}, { h: { data: [{ close: 2 }, { close: 6 }] } }],
    ['{{h.data}}', { sourceField: 'low' }, { h: { data: [{ close: 9, low: 2 }, { low: 6 }] } }],
    ['[2, "6"]', {}, {}],
    [[2, 6], {}, {}],
  ])('reads %o', async (source, more, variables) => {
    const { result, ports } = await nested(source, more, variables)
    expect(result).toMatchObject({ nested: true, inputs: ['data (nested)'], latest: { value: 4 } })
    expect(ports.asked).toEqual([])
  })

  it.each([
    ['{{nothing}}', {}, 'sourceSeries did not resolve to a JSON array'],
    ['5', {}, 'sourceSeries must resolve to an array'],
    ['[1]', {}, 'sourceSeries needs at least 2 values, got 1'],
    [Array(1001).fill(1), {}, 'sourceSeries has 1001 values, more than 1000'],
    ['[1, "x"]', {}, 'sourceSeries contains a non-numeric value: "x"'],
    ['[1, null]', {}, 'sourceSeries contains a non-numeric value: null'],
    ['[1, 2]', { params: '{"period": 9}' }, 'Period (9) cannot be greater than data length (2)'],
    ['[1, 2]', { indicatorName: 'atr' }, "Indicator 'atr' cannot be computed over sourceSeries"],
  ])('refuses %s %o', async (source, more, message) => {
    const { failure } = await nested(source, more)
    expect(failure).toContain(message)
  })
})
