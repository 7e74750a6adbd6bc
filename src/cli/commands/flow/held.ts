import { member } from '../../../client/answers/json.js'
import { allPages } from '../../../client/answers/pages.js'
import { positionRecords } from '../../../client/answers/records.js'
import type { Context } from '../../framework/context.js'

/** A position that the orders of workflows have built and not closed. */
interface Held {
  symbol: string
  exchange: string
  product: string
  quantity: number
}

/** Returns the open positions that the orders of workflows hold, by the strategy tags of the orders. */
export async function heldBy(context: Context, ids: readonly string[]): Promise<Held[]> {
  const tags = new Set((await Promise.all(ids.map((id) => tagsOf(context, id)))).flat())
  const nets = new Map<string, Held>()
  for (const tag of tags) {
    for (const { action, exchange, product, quantity, symbol } of await tradesOf(context, tag)) {
      const name = [exchange, symbol, product].join(':')
      const before = nets.get(name)?.quantity ?? 0
      const net = before + (action === 'BUY' ? quantity : -quantity)
      nets.set(name, { symbol, exchange, product, quantity: net })
    }
  }
  const open = await openPositions(context)
  return [...nets.values()].filter(
    (net) =>
      net.quantity !== 0 && (open === undefined || net.product === 'CNC' || open.has(positionName(net))),
  )
}

/** Returns `NSE:SBIN 10 (MIS), NSE:INFY -4 (MIS)`. */
export function heldText(held: readonly Held[]): string {
  return held
    .map(({ exchange, product, quantity, symbol }) => `${exchange}:${symbol} ${quantity} (${product})`)
    .join(', ')
}

const positionName = ({ exchange, product, symbol }: Held) => [exchange, symbol, product].join(':')

/** An order has the tag of its node, otherwise the name of its workflow. */
async function tagsOf(context: Context, id: string): Promise<string[]> {
  const { body } = await context.read('GET /flow/api/workflows/:id', { params: { id } })
  const own = body.nodes.flatMap((node) => {
    const data: unknown = member(node, 'data')
    if (typeof data !== 'object' || data === null) return []
    return [Reflect.get(data, 'strategyTag'), Reflect.get(data, 'basketName')]
  })
  return [body.name, ...own.filter((tag) => typeof tag === 'string' && tag !== '' && !tag.includes('{{'))]
}

function tradesOf(context: Context, strategy: string) {
  return allPages(undefined, async (limit, before) => {
    const { body } = await context.read('GET /trades/history', { query: { strategy, limit, before } })
    return { rows: body.data, next: body.next_before }
  })
}

/** Returns the names of the open positions, which the broker may have squared off; undefined without an API key. */
async function openPositions(context: Context): Promise<Set<string> | undefined> {
  if (!context.hasApiKey) return undefined
  const rows = positionRecords((await context.apiRead('positionbook')).body)
  return new Set(rows.filter(({ quantity }) => quantity !== 0).map(positionName))
}
