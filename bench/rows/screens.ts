import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { storeSecret } from '../../src/cli/io/home.js'
import { type DaemonProcess, USERNAME } from '../../test/support/process/daemon-process.js'
import { PseudoTerminal } from '../../test/support/pseudo-terminal.js'
import { startDaemon } from '../daemon.js'
import type { Row } from '../report.js'
import type { Benchmark, Run } from '../run.js'

const APPROVALS = 5000
const SYMBOLS = 200
const UNLIMITED = '1000000 per second'
const SIZE = { columns: 160, rows: 50 }
const MOST_OF_A_CORE = 0.2
const MEGABYTE = 1_000_000
const IN_FLIGHT = 32
const [HOUR_FACTOR, HOUR_APPROVALS] = [12, 500]
const DECISION_PAUSE_MS = 500
/** A leak of each tick or each frame would be larger in an hour. */
const FLAT_MB = 4

/** The terminal program on a long queue whose prices change. */
export const screens: Benchmark = {
  name: 'screens',
  summary: `svc tui with ${APPROVALS} approvals and ${SYMBOLS} ticking symbols`,
  run: (run) => overQueue(run, APPROVALS, measure),
}

/** The same program for an hour that passes faster, while orders are queued and rejected all the time. */
export const screenHour: Benchmark = {
  name: 'screen-hour',
  summary: `the memory of svc tui in a simulated hour, ${HOUR_FACTOR} times as fast`,
  run: (run) => overQueue(run, HOUR_APPROVALS, measureHour, fastClock(HOUR_FACTOR)),
}

type Env = Record<string, string>

/** Returns the environment in which time passes so many times faster, the same for all its programs. */
function fastClock(factor: number): Env {
  return { FAST_CLOCK: `${factor} ${Date.now()}`, NODE_OPTIONS: `--require=${preload('fast-clock.cjs')}` }
}

const preload = (name: string) => fileURLToPath(new URL(`../load/${name}`, import.meta.url))

/** Measures over a daemon with a queue. */
async function overQueue(
  run: Run,
  approvals: number,
  measured: (daemon: DaemonProcess, run: Run, env: Env) => Promise<Row[]>,
  env: Env = {},
): Promise<Row[]> {
  const limits = { ORDER_RATE_LIMIT: UNLIMITED, API_RATE_LIMIT: UNLIMITED }
  const daemon = await startDaemon(run.folder(), { ...limits, ...env })
  try {
    await fill(daemon, approvals)
    return await measured(daemon, run, env)
  } finally {
    await daemon.dispose()
  }
}

/** Puts the orders into the queue, of as many symbols as the terminal is to follow. */
async function fill(daemon: DaemonProcess, approvals: number): Promise<void> {
  await daemon.analyze(false)
  await daemon.orderMode('semi_auto')
  const symbols = await symbolsOf(daemon)
  for (let from = 0; from < approvals; from += IN_FLIGHT) {
    const batch = Array.from({ length: Math.min(IN_FLIGHT, approvals - from) }, (_, index) =>
      queue(daemon, symbols[(from + index) % symbols.length] ?? 'SBIN', 'benchmark'),
    )
    await Promise.all(batch)
  }
}

async function symbolsOf(daemon: DaemonProcess): Promise<readonly string[]> {
  const response = await fetch(`${daemon.url}/api/v1/instruments?exchange=NSE&format=json`, {
    headers: { 'x-api-key': daemon.apikey },
  })
  const { data }: { data: { symbol: string; instrumenttype: string }[] } = JSON.parse(await response.text())
  return data
    .filter(({ instrumenttype }) => instrumenttype === 'EQ')
    .map(({ symbol }) => symbol)
    .slice(0, SYMBOLS)
}

async function queue(daemon: DaemonProcess, symbol: string, strategy: string): Promise<number> {
  const { status, body } = await daemon.api('placeorder', {
    strategy,
    symbol,
    exchange: 'NSE',
    action: 'BUY',
    quantity: 1,
    pricetype: 'LIMIT',
    price: '1',
    product: 'MIS',
  })
  if (status !== 200) throw new Error(`an order was not queued: status ${status}`)
  return Number(body.pending_order_id)
}

/** Opens the program on the queue. */
function opened(daemon: DaemonProcess, run: Run, more: Env): PseudoTerminal {
  const home = join(run.folder(), 'terminal')
  const kept = { username: USERNAME, url: daemon.url, expiresAt: undefined }
  storeSecret(home, 'apikey.json', { ...kept, value: daemon.apikey })
  storeSecret(home, 'session.json', { ...kept, value: daemon.token })
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    SVC_HOME: home,
    SVC_URL: daemon.url,
    TERM: 'xterm-256color',
    ...more,
  }
  const program = [process.execPath, join(process.cwd(), 'bin/svc'), 'tui', '--screen', 'approvals']
  return new PseudoTerminal(program, SIZE, env)
}

/** Lets the prices change, then queues orders and waits for each on the screen. */
async function measure(daemon: DaemonProcess, run: Run, more: Env): Promise<Row[]> {
  const terminal = opened(daemon, run, more)
  try {
    await terminal.writes('benchmark', 60_000)
    await wait(run.pick(10_000, 3000, 500))
    const still = await used(terminal, run.pick(60_000, 10_000, 2_000))
    const delays = await delaysOf(terminal, daemon, run.pick(200, 30, 10))
    const name = `terminal program, ${APPROVALS.toLocaleString('en-US')} approvals`
    return [
      {
        name: `${name}, part of a core`,
        value: still.cores,
        unit: '',
        goal: { of: 'value', atMost: MOST_OF_A_CORE },
      },
      { name: `${name}, written`, value: still.bytesPerS / 1000, unit: 'kB/s' },
      { name: `${name}, memory`, value: still.rss / MEGABYTE, unit: 'MB' },
      { name: `${name}, growth of memory`, value: still.growth / MEGABYTE, unit: 'MB' },
      { name: 'queued order to screen, p50', value: percentile(delays, 0.5), unit: 'ms' },
      {
        name: 'queued order to screen, p99',
        value: percentile(delays, 0.99),
        unit: 'ms',
        goal: { of: 'value', atMost: 100 },
      },
    ]
  } finally {
    await terminal.close()
  }
}

/** Queues and rejects orders for an hour, and compares the live objects after a sixth of it with those at its end. */
async function measureHour(daemon: DaemonProcess, run: Run, more: Env): Promise<Row[]> {
  const minutes = run.pick(60, 6, 1)
  const log = join(run.folder(), 'heap')
  // This clock is loaded first, so that it keeps the real time.
  const options = `--require=${preload('heap-log.cjs')} ${more.NODE_OPTIONS}`
  const terminal = opened(daemon, run, { ...more, HEAP_LOG: log, NODE_OPTIONS: options })
  try {
    await terminal.writes('benchmark', 60_000)
    const bytes = terminal.bytes
    const until = performance.now() + (minutes * 60_000) / HOUR_FACTOR
    while (performance.now() < until) {
      await decide(daemon)
      await wait(DECISION_PAUSE_MS)
    }
    const heaps = readFileSync(log, 'utf8').trim().split('\n').map(Number)
    // Before that, lists fill up to their limits.
    const early = heaps[Math.floor(heaps.length / 6)] ?? Number.NaN
    const late = heaps.at(-1) ?? Number.NaN
    const name = `terminal program, ${minutes} simulated minutes`
    return [
      { name: `${name}, live objects`, value: late / MEGABYTE, unit: 'MB' },
      {
        name: `${name}, growth of live objects`,
        value: (late - early) / MEGABYTE,
        unit: 'MB',
        goal: { of: 'value', atMost: FLAT_MB },
      },
      { name: `${name}, memory`, value: terminal.usage().rss / MEGABYTE, unit: 'MB' },
      { name: `${name}, written`, value: (terminal.bytes - bytes) / MEGABYTE, unit: 'MB' },
    ]
  } finally {
    await terminal.close()
  }
}

/** Queues an order and rejects it, as a bot and a person do. */
async function decide(daemon: DaemonProcess): Promise<void> {
  const id = await queue(daemon, 'SBIN', 'benchmark')
  await daemon.request('POST', `/action-center/reject/${id}`, { reason: 'benchmark' })
}

async function used(terminal: PseudoTerminal, ms: number) {
  const [before, bytes, startedAt] = [terminal.usage(), terminal.bytes, performance.now()]
  await wait(ms)
  const after = terminal.usage()
  const seconds = (performance.now() - startedAt) / 1000
  return {
    cores: (after.cpuS - before.cpuS) / seconds,
    bytesPerS: (terminal.bytes - bytes) / seconds,
    rss: after.rss,
    growth: after.rss - before.rss,
  }
}

/** The time from the answer to an order that is queued until its name is written to the terminal. */
async function delaysOf(terminal: PseudoTerminal, daemon: DaemonProcess, rounds: number): Promise<number[]> {
  const delays: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const name = `order-${round}-of-${rounds}`
    terminal.press('g')
    await wait(300)
    const shown = terminal.writes(name)
    await queue(daemon, 'SBIN', name)
    const queuedAt = performance.now()
    delays.push(Math.max(0, (await shown) - queuedAt))
  }
  return delays
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN
}
