import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { type Instrument, Instruments, simulatedMaster } from '../src/core/instruments/index.js'
import { InstrumentTable } from '../src/core/instruments/instrument-table.js'
import { SearchIndex } from '../src/core/instruments/search/search-index.js'
import { SearchStore } from '../src/core/instruments/search/store.js'
import { encodeInstruments } from '../src/core/instruments/table-encoder.js'
import { silentLogger } from '../src/core/logging/index.js'
import { Database } from '../src/core/storage/index.js'
import { SystemClock } from '../src/core/time/index.js'

const ROWS = 200_000
const LIMIT = 500
/** One to three words each: common, rare, numeric, mistyped, and with nothing to find. */
const QUERIES = [
  ...[
    'NIFTY',
    'SBIN',
    'RELIANCE',
    'N',
    'CE',
    'EC',
    '26000',
    '292.5',
    'BANK',
    'LIMITED',
    'FUT',
    'ZZ',
    '&',
    '37',
  ],
  ...['NIFTY CE', 'NIFTY 26000', 'BANKNIFTY PE', 'TATA MOTORS', 'CE PE', 'GOLD FUT', 'STATE BANK', '1 9'],
  ...['NIFTY 26000 CE', 'RELIANCE 1400 PE', 'NOV NIFTY FUT', 'BANK OF INDIA', '0 1 2', 'SBIN DEC CE'],
  ...['RELIANSE', 'NIFYT 26000 CE', 'QQQQQ', 'INFOSIS', 'HDFC BAMK'],
]

/** The simulated master, and its contracts again a year on until there are enough. */
function master(): Instrument[] {
  const rows = [...simulatedMaster({ now: Date.parse('2026-11-20T09:00:00+05:30') })].flat()
  const more = [...simulatedMaster({ now: Date.parse('2027-11-22T09:00:00+05:30') })].flat()
  const seen = new Set(rows.map((row) => `${row.exchange}:${row.symbol}`))
  const spare = more.filter((row) => !seen.has(`${row.exchange}:${row.symbol}`))
  for (let copy = 0; rows.length < ROWS; copy++) {
    for (const row of spare) {
      if (rows.length === ROWS) break
      const letter = copy === 0 ? '' : String.fromCharCode(64 + copy)
      rows.push({
        ...row,
        symbol: row.symbol.replace(/(?=\d{2}[A-Z]{3}\d{2})/, letter),
        token: String(5_000_000 + rows.length),
      })
    }
  }
  return rows
}

const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0

function report(name: string, samples: number[]): void {
  samples.sort((a, b) => a - b)
  const [p50, p99, max] = [0.5, 0.99, 1].map((q) => quantile(samples, q).toFixed(2))
  console.log(`${name.padEnd(24)} p50 ${p50} ms  p99 ${p99} ms  max ${max} ms  (${samples.length} searches)`)
}

const bytesUsed = () => {
  global.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const rows = master()
const table = InstrumentTable.decode(encodeInstruments(rows))
if (!table) throw new Error('the master cannot be packed')
SearchIndex.of(table)

const before = bytesUsed()
const began = performance.now()
let worstStep = 0
const steps = SearchIndex.building(table)
let step = steps.next()
while (!step.done) {
  const at = performance.now()
  step = steps.next()
  worstStep = Math.max(worstStep, performance.now() - at)
}
const index = step.value
const buildMs = performance.now() - began
const memory = (bytesUsed() - before) / 1e6
console.log(
  `index of ${table.count} rows: ${buildMs.toFixed(0)} ms (longest step ${worstStep.toFixed(1)} ms), ${memory.toFixed(0)} MB`,
)

const samples: number[] = []
const slowest = new Map<string, number>()
const found = new Map<string, number>()
for (let round = 0; round < 60; round++) {
  for (const text of QUERIES) {
    const at = performance.now()
    const hits = [...index.find({ text, limit: LIMIT }).rows]
    const took = performance.now() - at
    found.set(text, hits.length)
    if (round < 5) continue
    samples.push(took)
    slowest.set(text, Math.max(slowest.get(text) ?? 0, took))
  }
}
report('index', samples)
const top = [...slowest].sort((a, b) => b[1] - a[1]).slice(0, 6)
console.log(top.map(([text, ms]) => `  ${text}: ${ms.toFixed(2)} ms, ${found.get(text)} rows`).join('\n'))

const home = mkdtempSync(join(tmpdir(), 'svc-bench-search-'))
const db = await Database.open({ file: join(home, 'svc.db'), schema: 'svc' })
try {
  const instruments = new Instruments({ db, clock: new SystemClock(), log: silentLogger })
  await instruments.replace('simulated', 'generated', [rows])
  const store = new SearchStore(db)
  const likes: number[] = []
  for (let round = 0; round < 3; round++) {
    for (const text of QUERIES) {
      const at = performance.now()
      await store.find({ text, limit: LIMIT })
      likes.push(performance.now() - at)
    }
  }
  report('the same as SQL LIKE', likes)
} finally {
  await db.close()
  rmSync(home, { recursive: true })
}
