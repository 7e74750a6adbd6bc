import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { pause } from '../../support/eventually.js'
import { Terminal } from '../../support/terminal.js'

/* svc strategy replay with the built program, on the example strategies and on files of its own. It needs no daemon. */
const EXAMPLES = fileURLToPath(new URL('../../../flows/strategies/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const terminal = new Terminal({ home: join(folder, 'home') })

function written(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** The words that replay an example strategy over its bars. */
const example = (id: string, ...more: string[]): string[] => [
  ...['strategy', 'replay', `${EXAMPLES}${id}.yaml`, '--from', `${EXAMPLES}${id}.bars.csv`],
  ...more,
]
const straddle = (...more: string[]) => example('short-straddle', ...more)
const textOf = (name: string): string => readFileSync(`${EXAMPLES}${name}`, 'utf8')

/** Buys ten shares in the morning and sells them at a stop, a target or the end of the day. */
const MORNING = `name: Morning
underlying: SBIN
underlying_exchange: NSE
product: MIS
universe_tab: stocks_fno
entry_time: "09:20"
exit_time: "15:15"
legs:
  - {segment: cash, position: B, lots: 10, sl_pts: 5, target_pts: 8}
`
const HEADING = 'symbol,exchange,time,open,high,low,close'
const MINUTES_OF_DAY = 375

/** One-minute bars of SBIN on working days from the start of 2022. */
function bars(count: number): string {
  const rows = [HEADING]
  const openings = Math.ceil(count / MINUTES_OF_DAY)
  for (let day = Date.parse('2022-01-03T03:45:00Z'), open = 0; open < openings; day += 86_400_000) {
    if (new Date(day).getUTCDay() % 6 === 0) continue
    open++
    for (let minute = 0; minute < MINUTES_OF_DAY; minute++) {
      const price = 800 + 7 * Math.sin(rows.length / 50)
      const time = new Date(day + minute * 60_000).toISOString()
      const [first, high, low] = [price, price + 1, price - 1].map((one) => one.toFixed(2))
      rows.push(`SBIN,NSE,${time.slice(0, 19)}Z,${first},${high},${low},${first}`)
    }
  }
  return `${rows.slice(0, count + 1).join('\n')}\n`
}

describe('a replay', () => {
  it('is a table with two charts on a terminal', async () => {
    const { exit, stdout } = await terminal.svc(straddle(), { tty: 'all', env: { NO_COLOR: '1' } })
    expect(exit).toBe(0)
    expect(stdout).toMatch(/P&L ₹\s+-224\.90\n/)
    expect(stdout).toMatch(/\nP&L ₹\n +630\.50 ┤[ ▄█▀]+\n/)
    expect(stdout).toMatch(/\n +0\.00 ┤[ ▄█▀]+\n/)
    expect(stdout).toMatch(/\nDrawdown ₹\n[\s\S]+-1,407\.90 ┤[ ▄█▀]+\n +09:20 +15:30\n/)
    expect(stdout).toMatch(/\n +1 +NIFTY24NOV2626000CE +short +65 .*152\.85 +exit_sl +-2,037\.75\n/)
    expect(stdout).toContain('Events: --show events.')
  })

  it('is its trades in a pipe, and everything as JSON', async () => {
    expect((await terminal.svc(straddle('-o', 'csv'))).stdout).toBe(textOf('short-straddle.trades.csv'))
    const whole = await terminal.json<Record<string, object[]>>(straddle())
    expect(Object.keys(whole)).toEqual(['summary', 'runs', 'trades', 'events', 'pnl', 'gaps', 'notes'])
    expect(whole.summary).toMatchObject({ pnl: -224.9, trades: 4, runs: 1, max_drawdown: -1407.9 })
    expect(whole.events?.at(-1)).toMatchObject({ kind: 'run_stopped', severity: 'info', run: 1 })
    const { stdout } = await terminal.svc(straddle('--show', 'events', '--json'))
    expect(JSON.parse(stdout)).toEqual(whole.events)
  })

  it('plays the recorded signals of a signal strategy', async () => {
    const signals = `${EXAMPLES}sbin-signals.signals.csv`
    const played = await terminal.svc(example('sbin-signals', '--signals', signals, '-o', 'csv'))
    expect(played).toMatchObject({ exit: 0, stdout: textOf('sbin-signals.trades.csv') })
    const silent = await terminal.svc(example('sbin-signals'))
    expect([silent.exit, silent.stderr]).toEqual([2, expect.stringContaining('give them with --signals')])
  })

  it('takes several files of bars, and names the contract of a file without one', async () => {
    const path = written('morning.yaml', MORNING)
    const [, ...rows] = bars(2 * MINUTES_OF_DAY)
      .trim()
      .split('\n')
    const whole = written('whole.csv', [HEADING, ...rows].join('\n'))
    const [first, second] = [rows.slice(0, MINUTES_OF_DAY), rows.slice(MINUTES_OF_DAY)]
    const plain = first.map((row) => row.replace('SBIN,NSE,', ''))
    const unnamed = written('first.csv', ['time,open,high,low,close', ...plain].join('\n'))
    const named = written('second.csv', [HEADING, ...second].join('\n'))
    const one = await terminal.svc(['strategy', 'replay', path, '--from', whole, '--json'])
    const parts = ['--from', named, '--from', `NSE:SBIN=${unnamed}`]
    const two = await terminal.svc(['strategy', 'replay', path, ...parts, '--json'])
    expect(two.stdout).toBe(one.stdout)
    expect(JSON.parse(one.stdout).summary).toMatchObject({ days: 2, bars: 750, runs: 2 })
  })
})

interface Row {
  rank: number
  pnl: number
  max_drawdown: number
  'leg1.sl': number
}

describe('a sweep', () => {
  const sweep = (...more: string[]) => straddle('--set', 'leg1.sl=10..40:5', ...more)

  it('ranks every value by profit, the best first', async () => {
    const { exit, stderr, stdout } = await terminal.svc(sweep('--json'))
    const rows: Row[] = JSON.parse(stdout)
    expect(exit).toBe(0)
    expect(rows.map((row) => row['leg1.sl'])).toEqual([10, 15, 20, 25, 30, 35, 40])
    expect(rows.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7])
    const profits = rows.map(({ pnl }) => pnl)
    expect(profits).toEqual(profits.toSorted((a, b) => b - a))
    expect(profits[3]).toBe(-224.9)
    expect(stderr).toBe('7 of 7 combinations, ranked by pnl.\n')
  })

  it('ranks all combinations of two fields by another figure, and shows the first ones', async () => {
    const more = ['--set', 'entry_time=09:20,09:30', '--rank', 'drawdown', '--top', '3', '--json']
    const { stderr, stdout } = await terminal.svc(sweep(...more))
    const rows: Row[] = JSON.parse(stdout)
    const falls = rows.map(({ max_drawdown }) => max_drawdown)
    expect(falls).toHaveLength(3)
    expect(falls).toEqual(falls.toSorted((a, b) => b - a))
    expect(Object.keys(rows[0] ?? {})).toEqual(expect.arrayContaining(['leg1.sl', 'entry_time']))
    expect(stderr).toContain('3 of 14 combinations, ranked by drawdown')
  })

  it('ends at Ctrl-C, without waiting for the combinations that are left', async () => {
    const path = written('interrupted.yaml', MORNING)
    const from = written('interrupted.csv', bars(MINUTES_OF_DAY))
    const words = ['--set', 'leg1.sl=1..100:1', '--set', 'leg1.target=1..100:1']
    /** A Ctrl-C that comes before the program has begun kills it without an exit status. */
    const interrupted = async (
      afterMs: number,
    ): Promise<{ exit: number; stderr: string; stdout: string }> => {
      const sweeping = terminal.start(['strategy', 'replay', path, '--from', from, ...words])
      await pause(afterMs)
      sweeping.interrupt()
      const ended = await sweeping.ended
      return ended.exit === -1 ? interrupted(2 * afterMs) : ended
    }
    expect(await interrupted(1_500)).toEqual({ exit: 130, stdout: '', stderr: 'error: Interrupted.\n' })
  })
})

it('takes 300,000 bars in a heap of 256 MB', async () => {
  const path = written('big.yaml', MORNING)
  const from = written('big.csv', bars(300_000))
  const words = ['strategy', 'replay', path, '--from', from, '--show', 'summary', '--json']
  const { exit, stderr, stdout } = await terminal.svc(words, {
    env: { NODE_OPTIONS: '--max-old-space-size=256' },
  })
  expect([exit, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toMatchObject({ days: 800, bars: 300_000, runs: 800 })
})

describe('a mistake is one line with its place, and no output', () => {
  const row = 'SBIN,NSE,2026-11-20 09:15,1,1,1,1'
  const file = (name: string, ...rows: string[]) => written(name, `${rows.join('\n')}\n`)
  const morning = written('mistaken.yaml', MORNING)
  const over = (path: string, ...more: string[]) => ['strategy', 'replay', morning, '--from', path, ...more]
  const fine = file('fine.csv', HEADING, row)
  const set = (setting: string) => straddle('--set', setting)

  it.each<[string, string[], number, string]>([
    ['no bars', ['strategy', 'replay', morning], 2, 'Recorded bars are missing.'],
    [
      'a file that does not exist',
      over(`${folder}/nowhere.csv`),
      4,
      `There is no file ${folder}/nowhere.csv.`,
    ],
    ['a folder', over(folder), 2, `${folder} is a folder, not a file.`],
    ['a strategy that does not exist', ['strategy', 'replay', 'no.yaml', '--from', fine], 4, 'no.yaml'],
    ['an empty file', over(file('empty.csv')), 2, 'empty.csv'],
    ['a heading alone', over(file('heading.csv', HEADING)), 2, 'The files have no bars'],
    ['bytes', over(file('bytes.csv', '\u0000\u0001\u001b[2J')), 2, 'bytes.csv:1: the heading lacks time'],
    [
      'a bad price',
      over(file('price.csv', HEADING, row, row.replace('09:15,1', '09:16,x'))),
      2,
      'price.csv:3: column open must be a price above 0; it was "x"',
    ],
    [
      'a bad time',
      over(file('time.csv', HEADING, row.replace('2026-11-20 09:15', 'soon'))),
      2,
      'time.csv:2: column time must be a time such as',
    ],
    ['an unknown field', set('leg1.foo=1..2:1'), 2, 'legs[0] does not accept foo'],
    ['a leg that does not exist', set('leg9.sl=1'), 2, '--set leg9.sl: the strategy has no leg 9'],
    ['no field', set('=1'), 2, 'is not FIELD=VALUES'],
    ['a step of 0', set('leg1.sl=10..40:0'), 2, '--set leg1.sl: the step must be above 0'],
    ['a step below 0', set('leg1.sl=10..40:-5'), 2, '--set leg1.sl: the step must be above 0'],
    ['a range backwards', set('leg1.sl=40..10:5'), 2, '10 is below 40'],
    ['a range of a million', set('leg1.sl=0..100:0.0001'), 2, 'more than 10000 combinations'],
    ['a power of ten', set('leg1.sl=0..1e9:0.0001'), 2, '0..1e9:0.0001 is not a range FROM..TO:STEP'],
    ['no number', set('leg1.sl=NaN'), 2, 'legs[0].sl_pts must be a number of 0 or more'],
    ['a view of a sweep', straddle('--set', 'leg1.sl=1,2', '--show', 'pnl'), 2, '--show is for one replay'],
    ['a figure that does not exist', straddle('--rank', 'luck'), 2, 'luck'],
    ['no steps', straddle('--steps', '0'), 2, '--steps must be a whole number from 1 to 100'],
    ['a slippage of all', straddle('--slippage', '100%'), 2, '--slippage 100% is neither'],
    ['a contract without bars', straddle('--contract', 'leg1=NIFTY24NOV2699999CE'), 2, 'no bar of'],
  ])('%s', async (_mistake, words, exit, message) => {
    const ran = await terminal.svc(words)
    expect(ran).toMatchObject({ exit, stdout: '', stderr: expect.stringContaining(message) })
    expect(ran.stderr).toMatch(/^error: [^\n]+\n$/)
  })
})
