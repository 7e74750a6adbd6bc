import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
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

/** The terminal program on a long queue whose prices change. */
export const screens: Benchmark = {
  name: 'screens',
  summary: `svc tui with ${APPROVALS} approvals and ${SYMBOLS} ticking symbols`,
  async run(run) {
    const limits = { ORDER_RATE_LIMIT: UNLIMITED, API_RATE_LIMIT: UNLIMITED }
    const daemon = await startDaemon(run.folder(), limits)
    try {
      await fill(daemon)
      return await measure(daemon, run)
    } finally {
      await daemon.dispose()
    }
  },
}

/** Puts the orders into the queue, of as many symbols as the terminal is to follow. */
async function fill(daemon: DaemonProcess): Promise<void> {
  await daemon.analyze(false)
  await daemon.orderMode('semi_auto')
  const symbols = await symbolsOf(daemon)
  for (let from = 0; from < APPROVALS; from += IN_FLIGHT) {
    const batch = Array.from({ length: Math.min(IN_FLIGHT, APPROVALS - from) }, (_, index) =>
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

async function queue(daemon: DaemonProcess, symbol: string, strategy: string): Promise<void> {
  const { status } = await daemon.api('placeorder', {
    ...{ strategy, symbol, exchange: 'NSE', action: 'BUY', quantity: 1 },
    ...{ pricetype: 'LIMIT', price: '1', product: 'MIS' },
  })
  if (status !== 200) throw new Error(`an order was not queued: status ${status}`)
}

/** Opens the program on the queue, lets the prices change, then queues orders and waits for each on the screen. */
async function measure(daemon: DaemonProcess, run: Run): Promise<Row[]> {
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
  }
  const terminal = new PseudoTerminal([process.execPath, join(process.cwd(), 'bin/svc'), 'tui'], SIZE, env)
  try {
    await terminal.writes('benchmark', 60_000)
    await wait(run.pick(10_000, 3000))
    const still = await used(terminal, run.pick(60_000, 10_000))
    const delays = await delaysOf(terminal, daemon, run.pick(200, 30))
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
        ...{ name: 'queued order to screen, p99', value: percentile(delays, 0.99), unit: 'ms' },
        goal: { of: 'value', atMost: 100 },
      },
    ]
  } finally {
    await terminal.close()
  }
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
