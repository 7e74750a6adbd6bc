import { join } from 'node:path'
import { startDaemon } from '../daemon.js'
import type { Row } from '../report.js'
import { type Benchmark, median, timed } from '../run.js'
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

/** How long a browser waits for a page of a log: from the request to the last byte, through a socket. */
export const pages: Benchmark = {
  name: 'pages',
  summary: `pages of a log of ${ROWS.toLocaleString('en-US')} rows`,
  async run(run) {
    const home = run.folder()
    const daemon = await startDaemon(home)
    try {
      await daemon.signal('SIGTERM')
      await seedLogs(join(home, 'logs.db'), ROWS)
      await daemon.start()
      const headers = { accept: 'text/html', cookie: `session=${daemon.token}` }
      const open = async (path: string) => {
        const page = await fetch(daemon.url + path, { headers, redirect: 'error' })
        if (!page.ok || !(await page.text()).endsWith('</html>')) throw new Error(`${path}: ${page.status}`)
      }
      const rows: Row[] = []
      for (const [name, path] of Object.entries(ADDRESSES)) {
        const took: number[] = []
        // The first requests warm up.
        for (let i = 0; i < run.pick(20, 5); i++) await open(path)
        for (let i = 0; i < run.pick(300, 60, 20); i++) took.push(await timed(() => open(path)))
        took.sort((one, other) => one - other)
        const p99 = took[Math.ceil(took.length * 0.99) - 1] ?? Number.NaN
        rows.push(
          { name: `page of ${ROWS} log rows, ${name}, p50`, value: median(took), unit: 'ms', goal: GOAL },
          { name: `page of ${ROWS} log rows, ${name}, p99`, value: p99, unit: 'ms' },
        )
      }
      return rows
    } finally {
      await daemon.dispose()
    }
  },
}
