import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Instrument } from '../../src/core/instruments/schema.js'
import { silentLogger } from '../../src/core/logging/index.js'
import { loadInstruments, loadSearch, loadSimulated, loadStorage, loadTime } from '../compiled.js'
import type { Row } from '../report.js'
import { type Benchmark, median, type Run } from '../run.js'

const ROWS = 200_000
const LIMIT = 500
const P99_MS = 5
const BUILD_MS = 1000
const MEGABYTES = 150
/** Queries of one to three words: common, rare, numeric, mistyped, and without a match. */
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

/** Symbol search over a large master, in the process. */
export const search: Benchmark = {
  name: 'search',
  summary: `${QUERIES.length} queries of one to three words over ${ROWS.toLocaleString('en-US')} instruments`,
  async run(run) {
    const master = await masterOf(ROWS)
    const { rows, index } = await built(master, run)
    const found = await searches(run, (text) => void [...index.find({ text, limit: LIMIT }).rows])
    const likes = await sqlLike(master, run)
    const named = (name: string) => `search, ${ROWS.toLocaleString('en-US')} instruments, ${name}`
    return [
      { name: named('p50'), value: found.p50, floor: likes.p50, unit: 'ms' },
      {
        name: named('p99'),
        value: found.p99,
        floor: likes.p99,
        unit: 'ms',
        goal: { of: 'value', atMost: P99_MS },
      },
      ...rows,
    ]
  },
}

/**
 * Returns the simulated master, filled up with its contracts of the next year, under new names, until there
 * are enough.
 */
async function masterOf(count: number): Promise<Instrument[]> {
  const { simulatedMaster } = await loadSimulated()
  const rows = [...simulatedMaster({ now: Date.parse('2026-11-20T09:00:00+05:30') })].flat()
  const more = [...simulatedMaster({ now: Date.parse('2027-11-22T09:00:00+05:30') })].flat()
  const seen = new Set(rows.map((row) => `${row.exchange}:${row.symbol}`))
  const spare = more.filter((row) => !seen.has(`${row.exchange}:${row.symbol}`))
  for (let copy = 0; rows.length < count; copy++) {
    for (const row of spare) {
      if (rows.length === count) break
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

/** Builds the index a few times, because the first build also compiles its code. */
async function built(master: readonly Instrument[], run: Run) {
  const { encodeInstruments, InstrumentTable, SearchIndex } = await loadSearch()
  const table = InstrumentTable.decode(encodeInstruments(master))
  if (!table) throw new Error('the master cannot be packed')
  // Held in an array, so that the garbage collector keeps a compared index during the measurement.
  const held: ReturnType<typeof SearchIndex.of>[] = []
  const builds: number[] = []
  const sizes: number[] = []
  for (let build = 0; build < run.rounds(5, 3); build++) {
    held.length = 0
    const before = bytesUsed()
    const spent = process.cpuUsage()
    held.push(SearchIndex.of(table))
    const { user, system } = process.cpuUsage(spent)
    builds.push((user + system) / 1000)
    sizes.push((bytesUsed() - before) / 1e6)
  }
  const [index] = held
  if (!index) throw new Error('nothing was built')
  const rows: Row[] = [
    {
      name: 'search index, build, CPU time',
      value: median(builds),
      unit: 'ms',
      goal: { of: 'value', atMost: BUILD_MS },
    },
    {
      name: 'search index, size',
      value: median(sizes),
      unit: 'MB',
      goal: { of: 'value', atMost: MEGABYTES },
    },
  ]
  return { rows, index }
}

/** The same queries by the database, which answers them until the index exists. */
async function sqlLike(master: Instrument[], run: Run) {
  const [{ Database }, { Instruments }, { SearchStore }, { SystemClock }] = await Promise.all([
    loadStorage(),
    loadInstruments(),
    loadSearch(),
    loadTime(),
  ])
  const db = await Database.open({ file: join(run.folder(), 'svc.db'), schema: 'svc' })
  try {
    const instruments = new Instruments({
      db,
      clock: new SystemClock(),
      log: silentLogger,
      freezeQuantities: [],
    })
    await instruments.replace('simulated', 'generated', [master])
    const store = new SearchStore(db)
    return await searches(run, (text) => store.find({ text, limit: LIMIT }), run.pick(3, 1))
  } finally {
    await db.close()
  }
}

/**
 * Returns the milliseconds per search. The p99 is over the queries, each with the median of its rounds: the
 * search is not to blame when another process disturbs one round.
 */
async function searches(run: Run, find: (text: string) => unknown, rounds = run.rounds(60, 20)) {
  const samples = new Map(QUERIES.map((text) => [text, [] as number[]]))
  for (let round = 0; round < rounds + 1; round++) {
    for (const [text, taken] of samples) {
      const startedAt = performance.now()
      await find(text)
      // The first round warms up.
      if (round > 0) taken.push(performance.now() - startedAt)
    }
  }
  const sorted = [...samples.values()].map(median).sort((a, b) => a - b)
  return { p50: median(sorted), p99: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN }
}

/** Returns the bytes of reachable memory, after a garbage collection. */
function bytesUsed(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
