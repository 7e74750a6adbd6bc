import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { DaemonProcess } from '../../test/support/process/daemon-process.js'
import { orderTarget, startDaemon } from '../daemon.js'
import { LoadClient } from '../load/load.js'
import type { Row } from '../report.js'
import { type Benchmark, median, type Run, timed } from '../run.js'
import { seedLogs } from './log-rows.js'

const ROWS = 10_000
const GOAL = { of: 'value', atMost: 50 } as const
const PERIOD = 'start_date=2000-01-01'

const ADDRESSES = {
  'the newest rows': `/logs/sandbox?${PERIOD}`,
  'the last page': `/logs/sandbox?${PERIOD}&page=500`,
  'a search in all rows': `/logs/sandbox?${PERIOD}&search=sbin`,
  'a search without a hit': `/logs/sandbox?${PERIOD}&search=nothing-of-this-name`,
} as const

/** The longest that a browser waits for any page. */
const PAGE_GOAL = { of: 'value', atMost: 300 } as const
const PNL_PAGE = '/pnl-tracker'
/** A page of links, which asks for nothing: what any page costs. */
const FLOOR_PAGE = '/logging'
const POLL_MS = 500

/** How long a browser waits for a page: from the request to the last byte, through a socket. */
export const pages: Benchmark = {
  name: 'pages',
  summary: `pages of a log of ${ROWS.toLocaleString('en-US')} rows, and the P&L page of a busy day`,
  async run(run) {
    const home = run.folder()
    const daemon = await startDaemon(home)
    try {
      await daemon.signal('SIGTERM')
      await seedLogs(join(home, 'logs.db'), ROWS)
      await daemon.start()
      return [...(await logRows(run, daemon)), ...(await pnlRows(run, daemon))]
    } finally {
      await daemon.dispose()
    }
  },
}

async function logRows(run: Run, daemon: DaemonProcess): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, path] of Object.entries(ADDRESSES)) {
    const took = await times(run, () => open(daemon, path))
    const p99 = took[Math.ceil(took.length * 0.99) - 1] ?? Number.NaN
    rows.push(
      { name: `page of ${ROWS} log rows, ${name}, p50`, value: median(took), unit: 'ms', goal: GOAL },
      { name: `page of ${ROWS} log rows, ${name}, p99`, value: p99, unit: 'ms' },
    )
  }
  return rows
}

/** The first page of a day, which has no bars yet, and the pages after it. */
async function pnlRows(run: Run, daemon: DaemonProcess): Promise<Row[]> {
  const client = new LoadClient()
  const load = { ...orderTarget(daemon), connections: 4, seconds: run.seconds(3, 1) }
  await client.run(load).finally(() => client.close())
  const floor = median(await times(run, () => open(daemon, FLOOR_PAGE)))
  const first = await timed(() => open(daemon, PNL_PAGE))
  while ((await open(daemon, PNL_PAGE)).includes('are being read')) await setTimeout(POLL_MS)
  const after = median(await times(run, () => open(daemon, PNL_PAGE)))
  const row = (name: string, value: number): Row => ({
    name: `P&L page of a day of orders in 8 instruments, ${name}`,
    value,
    floor,
    unit: 'ms',
    goal: PAGE_GOAL,
  })
  return [row('the first page', first), row('p50', after)]
}

/** Returns how long an act takes, sorted. The first ones warm up. */
async function times(run: Run, act: () => Promise<unknown>): Promise<number[]> {
  const took: number[] = []
  for (let i = 0; i < run.pick(20, 5); i++) await act()
  for (let i = 0; i < run.pick(300, 60, 20); i++) took.push(await timed(act))
  return took.sort((one, other) => one - other)
}

async function open({ token, url }: DaemonProcess, path: string): Promise<string> {
  const headers = { accept: 'text/html', cookie: `session=${token}` }
  const page = await fetch(url + path, { headers, redirect: 'error' })
  const text = await page.text()
  if (!page.ok || !text.endsWith('</html>')) throw new Error(`${path}: ${page.status}`)
  return text
}
