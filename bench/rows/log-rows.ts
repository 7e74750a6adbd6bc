import { join } from 'node:path'
import { loadStorage } from '../compiled.js'
import { orderTarget, startDaemon } from '../daemon.js'
import { type Load, LoadClient, type Measured } from '../load/load.js'
import type { Row } from '../report.js'
import { type Benchmark, median } from '../run.js'

const CONNECTIONS = 4
const GOAL = { of: 'ratio', atMost: 1.1 } as const

/** Checks that an order does not cost more because the log already has many orders. */
export const logRows: Benchmark = {
  name: 'log-rows',
  summary: 'placeorder latency with a million log rows, against an empty log',
  async run(run) {
    const count = run.pick(1_000_000, 100_000, 10_000)
    const full = run.folder()
    const [seeded, empty] = [await startDaemon(full), await startDaemon(run.folder())]
    const client = new LoadClient()
    try {
      await seeded.signal('SIGTERM')
      await seedLogs(join(full, 'logs.db'), count)
      await seeded.start()
      const load = { connections: CONNECTIONS, seconds: run.seconds(3, 1) }
      const before: Load = { ...orderTarget(empty), ...load }
      const after: Load = { ...orderTarget(seeded), ...load }
      const rounds: { empty: Measured; full: Measured }[] = []
      for (let round = 0; round < run.rounds(8, 4); round++) {
        rounds.push({ empty: await client.run(before), full: await client.run(after) })
      }
      // The first round warms up.
      return (['p50', 'p99'] as const).map((name) => rowOf(name, count, rounds.slice(1)))
    } finally {
      client.close()
      await Promise.all([seeded.dispose(), empty.dispose()])
    }
  },
}

function rowOf(
  name: 'p50' | 'p99',
  count: number,
  rounds: readonly { empty: Measured; full: Measured }[],
): Row {
  const over = (kind: 'empty' | 'full') => median(rounds.map((round) => round[kind].latencies[name]))
  return {
    name: `placeorder with ${count.toLocaleString('en-US')} log rows, ${name}`,
    value: over('full'),
    floor: over('empty'),
    ratio: median(rounds.map(({ empty, full }) => full.latencies[name] / empty.latencies[name])),
    unit: 'ms',
    // The disk decides the slowest in a hundred, whatever the size of the log; the row is shown without a
    // goal.
    ...(name === 'p50' && { goal: GOAL }),
  }
}

const NUMBERS = 'with recursive n(i) as (select 0 union all select i + 1 from n where i + 1 < ?)'
/** The time of row `i`: two seconds before the previous row; the newest is a month old. */
const AT = '(unixepoch() - 2592000 - i * 2) * 1000'
const REQUEST =
  '{"strategy":"benchmark","symbol":"SBIN","exchange":"NSE","action":"BUY","quantity":10,"pricetype":"MARKET","product":"MIS","price":0,"trigger_price":0,"disclosed_quantity":0,"underlying_ltp":null}'
const RESPONSE = '{"status":"success","orderid":"26112100000001","mode":"analyze"}'

/** Inserts rows like those of orders into both tables that log an order in analyze mode. */
export async function seedLogs(file: string, count: number): Promise<void> {
  const { Database } = await loadStorage()
  const database = await Database.open({ file, schema: 'logs' })
  try {
    await database.write(async (tx) => {
      await tx.exec(
        `insert into analyzer_logs (api_type, request_data, response_data, created_at)
         ${NUMBERS} select 'placeorder', ?, ?, ${AT} from n`,
        [count, REQUEST, RESPONSE],
      )
    })
    await database.write(async (tx) => {
      await tx.exec(
        `insert into order_latency (timestamp, order_id, broker, symbol, order_type, rtt_ms,
           validation_latency_ms, response_latency_ms, overhead_ms, total_latency_ms, status)
         ${NUMBERS} select ${AT}, '26112100000001', 'sandbox', 'SBIN', 'PLACE', 0, 0, 0, 1.5, 1.5, 'SUCCESS' from n`,
        [count],
      )
    })
  } finally {
    await database.close()
  }
}
