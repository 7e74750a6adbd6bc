import { join } from 'node:path'
import { silentLogger } from '../../src/core/logging/index.js'
import { loadStorage, loadTelemetry, loadTime } from '../compiled.js'
import { orderTarget, startDaemon } from '../daemon.js'
import { type Load, LoadClient, type Measured } from '../load/load.js'
import type { Row } from '../report.js'
import { type Benchmark, median, type Run, timed } from '../run.js'

const CONNECTIONS = 64
const REQUESTS = 20_000
/** As many as a busy daemon has in a commit of the log. */
const REQUESTS_IN_TURN = 1000
const REQUEST = {
  clientIp: '127.0.0.1',
  method: 'POST',
  target: '/api/v1/placeorder',
  statusCode: 200,
  host: '127.0.0.1:5000',
  userId: 'trader',
}

/** The cost of the log of requests, and of the statistics over many latencies. */
export const traffic: Benchmark = {
  name: 'traffic',
  summary: 'placeorder with and without the traffic log; latency statistics over 1,000,000 orders',
  async run(run) {
    return [await throughput(run), await processorTime(run), ...(await statistics(run))]
  },
}

/** Two daemons take turns, round after round, so that a disturbance of the machine affects both. */
async function throughput(run: Run): Promise<Row> {
  const recording = await startDaemon(run.folder())
  const silent = await startDaemon(run.folder(), { TRAFFIC_LOG: 'false' })
  const client = new LoadClient()
  try {
    const load = { connections: CONNECTIONS, seconds: run.seconds(4, 1.5) }
    const [on, off]: [Load, Load] = [
      { ...orderTarget(recording), ...load },
      { ...orderTarget(silent), ...load },
    ]
    const rounds: { on: Measured; off: Measured }[] = []
    for (let round = 0; round < run.rounds(13, 5); round++) {
      // Who begins changes, because the second of two runs profits from the first.
      const [first, second] = round % 2 === 0 ? [on, off] : [off, on]
      const [one, other] = [await client.run(first), await client.run(second)]
      rounds.push(first === on ? { on: one, off: other } : { on: other, off: one })
    }
    // The first round warms up.
    const measured = rounds.slice(1)
    return {
      name: 'placeorder with the traffic log, against without',
      value: median(measured.map(({ on }) => on.perSecond)),
      floor: median(measured.map(({ off }) => off.perSecond)),
      ratio: median(measured.map(({ off, on }) => on.perSecond / off.perSecond)),
      unit: 'req/s',
      goal: { of: 'ratio', atLeast: 0.97 },
    }
  } finally {
    client.close()
    await Promise.all([recording.dispose(), silent.dispose()])
  }
}

/**
 * The processor time of a request in the log, on all threads. Unlike the throughput of two daemons, a busy machine
 * hardly changes it.
 */
async function processorTime(run: Run): Promise<Row> {
  const [{ Database }, { TrafficLog }, { SystemClock }] = await Promise.all([
    loadStorage(),
    loadTelemetry(),
    loadTime(),
  ])
  const db = await Database.open({ file: join(run.folder(), 'logs.db'), schema: 'logs' })
  const traffic = new TrafficLog({ db, clock: new SystemClock(), log: silentLogger })
  try {
    const rounds: number[] = []
    for (let round = 0; round < run.rounds(20, 6); round++) {
      const before = process.cpuUsage()
      for (let request = 0; request < REQUESTS; request++) {
        traffic.record({ ...REQUEST, durationMs: 3 + (request % 7) / 8 })
        if (request % REQUESTS_IN_TURN === 0) await traffic.flush()
      }
      await traffic.flush()
      const { system, user } = process.cpuUsage(before)
      rounds.push((system + user) / REQUESTS)
    }
    return { name: 'a request in the traffic log, processor time', value: median(rounds), unit: 'µs' }
  } finally {
    await db.close()
  }
}

/** Statistics over orders of the last 30 days at two brokers, and a page of the log among them. */
async function statistics(run: Run): Promise<Row[]> {
  const count = run.pick(1_000_000, 200_000, 20_000)
  const { Database } = await loadStorage()
  const { LatencyStore, latencyStatistics } = await loadTelemetry()
  const db = await Database.open({ file: join(run.folder(), 'logs.db'), schema: 'logs' })
  try {
    await db.write((tx) =>
      tx.exec(
        `insert into order_latency (timestamp, order_id, broker, symbol, order_type, rtt_ms,
           validation_latency_ms, response_latency_ms, overhead_ms, total_latency_ms, status)
         with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < ?)
         select unixepoch() * 1000 - i * 2000, 'S' || i, iif(i % 3, 'zerodha', 'simulated'), 'SBIN',
           iif(i % 5, 'PLACE', 'MODIFY'), ms, 1, 1, 2, ms + 2, 'SUCCESS'
         from (select i, 20 + abs(random() % 180000) / 1000.0 as ms from n)`,
        [count],
      ),
    )
    const store = new LatencyStore(db)
    const times: number[] = []
    for (let round = 0; round < 5; round++)
      times.push(await timed(() => latencyStatistics(store, Date.now())))
    const pages: number[] = []
    for (let round = 0; round < 50; round++) pages.push(await timed(() => store.list({ limit: 100 })))
    const rows = count.toLocaleString('en-US')
    return [
      { name: `latency statistics over ${rows} orders`, value: median(times), unit: 'ms' },
      { name: `newest 100 latencies of ${rows}`, value: median(pages), unit: 'ms' },
    ]
  } finally {
    await db.close()
  }
}
