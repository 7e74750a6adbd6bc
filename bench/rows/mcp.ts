import { orders, startDaemon } from '../daemon.js'
import { LoadClient, type Measured } from '../load/load.js'
import type { Row } from '../report.js'
import { type Benchmark, median, type Run } from '../run.js'

const GOAL = 1.5
const MANY = '100000000 per minute'
const LIMITS = {
  MCP_RATE_LIMIT: MANY,
  MCP_RATE_LIMIT_READ: MANY,
  MCP_RATE_LIMIT_WRITE: MANY,
  API_RATE_LIMIT: MANY,
  DATA_RATE_LIMIT: MANY,
  SEARCH_RATE_LIMIT: MANY,
  ORDER_RATE_LIMIT: MANY,
}

/** A call of a tool beside the same request to its endpoint. */
export const mcp: Benchmark = {
  name: 'mcp',
  summary: 'a quote and a queued order by tools/call, beside their endpoints',
  async run(run) {
    const daemon = await startDaemon(run.folder(), LIMITS)
    const client = new LoadClient()
    try {
      const port = Number(new URL(daemon.url).port)
      const compare = (name: string, tool: string, endpoint: string, given: readonly Given[]) =>
        compared(run, client, { name, port, tool, endpoint, given, apikey: daemon.apikey })
      const quote = [{ symbol: 'SBIN', exchange: 'NSE' }]
      const quotes = await compare('quote by a tool', 'get_quote', 'quotes', quote)
      await daemon.analyze(false)
      await daemon.orderMode('semi_auto')
      const given = orders('').map(({ apikey: _, ...order }) => order)
      return [...quotes, ...(await compare('queued order by a tool', 'place_order', 'placeorder', given))]
    } finally {
      client.close()
      await daemon.dispose()
    }
  },
}

type Given = Record<string, unknown>

interface Compared {
  name: string
  port: number
  tool: string
  endpoint: string
  given: readonly Given[]
  apikey: string
}

async function compared(
  run: Run,
  client: LoadClient,
  { apikey, endpoint, given, name, port, tool }: Compared,
): Promise<Row[]> {
  const load = { port, connections: 1, seconds: run.seconds(4, 1.5) }
  const plain = { path: `/api/v1/${endpoint}`, bodies: given.map((one) => ({ apikey, ...one })) }
  const calls = { path: '/api/v1/mcp', bodies: given.map((one) => callOf(apikey, tool, one)) }
  const rounds: { plain: Measured; tool: Measured }[] = []
  for (let round = 0; round <= run.rounds(4, 2); round++) {
    const one = {
      plain: await client.run({ ...plain, ...load }),
      tool: await client.run({ ...calls, ...load }),
    }
    // The first round warms up.
    if (round > 0) rounds.push(one)
  }
  return (['p50', 'p99'] as const).map((at) => ({
    name: `${name}, ${at}`,
    value: median(rounds.map((round) => round.tool.latencies[at])),
    floor: median(rounds.map((round) => round.plain.latencies[at])),
    unit: 'ms',
    ...(at === 'p50' && { goal: { of: 'ratio', atMost: GOAL } as const }),
  }))
}

function callOf(apikey: string, name: string, { pricetype, ...given }: Given) {
  const named = { ...given, ...(pricetype !== undefined && { price_type: pricetype }) }
  return { apikey, jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: named } }
}
