import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { csvRecord } from '../../src/core/csv/index.js'
import { readStrategyFile } from '../../src/core/strategies/files/index.js'
import {
  DEFAULT_STEPS,
  NO_SLIPPAGE,
  openReplay,
  type ReplayReport,
} from '../../src/core/strategies/replay/index.js'

const FOLDER = fileURLToPath(new URL('../../flows/strategies/', import.meta.url))
const EXAMPLES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.slice(0, -'.yaml'.length))

const textOf = (name: string): string => readFileSync(`${FOLDER}${name}`, 'utf8')
const fileOf = (name: string) => ({ name: basename(name), text: textOf(name) })

/** Replays an example as the command line does. */
function replayOf(id: string): Promise<ReplayReport> {
  const read = readStrategyFile(textOf(`${id}.yaml`), `${id}.yaml`)
  if (!read.ok) throw new Error(JSON.stringify(read.findings))
  const signals = `${id}.signals.csv`
  return openReplay({
    bars: [fileOf(`${id}.bars.csv`)],
    signals: existsSync(`${FOLDER}${signals}`) ? [fileOf(signals)] : [],
    contracts: new Map(),
    lotSizes: new Map(),
    slippage: NO_SLIPPAGE,
    steps: DEFAULT_STEPS,
  }).play(read.value.config, async () => undefined)
}

/** The trades as `-o csv` writes them. */
function csvOf({ trades }: ReplayReport): string {
  const [first] = trades
  if (!first) return ''
  return [Object.keys(first), ...trades.map((trade) => Object.values(trade))].map(csvRecord).join('')
}

describe('the example strategies', () => {
  it('are three', () => {
    expect(EXAMPLES).toEqual(['futures-breakout', 'sbin-signals', 'short-straddle'])
  })

  it.each(EXAMPLES)('%s has the trades that its file says', async (id) => {
    const report = await replayOf(id)
    expect(csvOf(report)).toBe(textOf(`${id}.trades.csv`))
    expect(report.gaps).toEqual([])
  })

  it('show what they are for', async () => {
    const [straddle, signals, futures] = await Promise.all(
      ['short-straddle', 'sbin-signals', 'futures-breakout'].map(replayOf),
    )
    const kinds = (report?: ReplayReport) => new Set(report?.events.map(({ kind }) => kind))
    const exits = (report?: ReplayReport) => report?.trades.map(({ exit_kind }) => exit_kind)
    expect(exits(straddle)).toEqual(expect.arrayContaining(['exit_sl', 'exit_eod']))
    // Two legs, and at least one of them entered again.
    expect(straddle?.trades.length).toBeGreaterThan(2)
    expect(kinds(signals)).toContain('leg_trail_armed')
    expect(exits(signals)).toEqual(expect.arrayContaining(['exit_trail', 'exit_signal']))
    expect(kinds(futures)).toContain('lock_profit_floor_advanced')
    expect(exits(futures)).toEqual(['exit_lock_profit'])
  })
})
