import { Connection, postRequest } from './connection.js'
import type { Load, Measured } from './load.js'

/**
 * The load process: runs one {@link Load} after another for its parent, so that every server meets the same
 * client.
 */
process.on('message', (load: Load) => {
  run(load).then(
    (measured) => process.send?.({ measured }),
    (error: unknown) => process.send?.({ error: error instanceof Error ? error.message : String(error) }),
  )
})

async function run({ port, path, bodies, connections, seconds }: Load): Promise<Measured> {
  const requests = bodies.map((body) => postRequest(path, body))
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)))
  const latencies: number[] = []
  const statuses = new Map<number, number>()
  let next = 0
  const startedAt = performance.now()
  const until = startedAt + seconds * 1000
  const keepSending = async (connection: Connection) => {
    for (let sentAt = performance.now(); sentAt < until; ) {
      const request = requests[next++ % requests.length]
      if (!request) throw new Error('a load needs a body')
      const status = await connection.send(request)
      const answeredAt = performance.now()
      latencies.push(answeredAt - sentAt)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      sentAt = answeredAt
    }
  }
  try {
    await Promise.all(open.map(keepSending))
  } finally {
    for (const connection of open) connection.close()
  }
  const took = (performance.now() - startedAt) / 1000
  const failed = [...statuses].filter(([status]) => status !== 200)
  if (failed.length > 0) throw new Error(`answers other than 200: ${JSON.stringify(failed)}`)
  return { requests: latencies.length, perSecond: latencies.length / took, latencies: summary(latencies) }
}

function summary(latencies: number[]): Measured['latencies'] {
  const sorted = Float64Array.from(latencies).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}
