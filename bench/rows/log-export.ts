import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startDaemon } from '../daemon.js'
import type { Row } from '../report.js'
import { type Benchmark, timed } from '../run.js'
import { seedLogs } from './log-rows.js'

const MIB = 1024

/** Exports a large log as CSV, and watches the memory of the daemon meanwhile. */
export const logExport: Benchmark = {
  name: 'log-export',
  summary: 'CSV export of a million log rows: rows per second, and memory of the daemon',
  async run(run) {
    const count = run.pick(1_000_000, 100_000, 10_000)
    const home = run.folder()
    const daemon = await startDaemon(home)
    try {
      await daemon.signal('SIGTERM')
      await seedLogs(join(home, 'logs.db'), count)
      await daemon.start()
      // The first export warms up, so that the second shows what a further one needs.
      const path = `${daemon.url}/analyzer/export?start_date=2000-01-01`
      const exported = () => linesOf(path, daemon.token)
      await exported()
      const before = residentMiB(daemon.pid)
      let peak = before
      const watch = setInterval(() => {
        peak = Math.max(peak, residentMiB(daemon.pid))
      }, 100)
      let rows = 0
      const tookMs = await timed(async () => {
        rows = (await exported()) - 1
      })
      clearInterval(watch)
      if (rows !== count) throw new Error(`${rows} of ${count} rows were exported`)
      return rowsOf(count, tookMs, before, peak)
    } finally {
      await daemon.dispose()
    }
  },
}

function rowsOf(count: number, tookMs: number, before: number, peak: number): Row[] {
  const name = `CSV export of ${count.toLocaleString('en-US')} log rows`
  return [
    { name, value: (count * 1000) / tookMs, unit: 'rows/s' },
    {
      name: `${name}, growth of memory`,
      value: peak - before,
      unit: 'MiB',
      goal: { of: 'value', atMost: 64 },
    },
  ]
}

/** Reads an answer to its end and returns the number of its lines. */
async function linesOf(url: string, token: string): Promise<number> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  if (!response.ok || !response.body) throw new Error(`the export was refused with ${response.status}`)
  let lines = 0
  for await (const chunk of response.body) lines += breaksIn(chunk)
  return lines
}

function breaksIn(chunk: Uint8Array): number {
  let breaks = 0
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) breaks++
  return breaks
}

function residentMiB(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) / MIB
}
