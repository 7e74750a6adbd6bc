import { orderRecords, positionRecords } from '../../client/answers/records.js'
import type { SvcClient } from '../../client/index.js'
import { WAITING } from '../../core/orders/vocabulary.js'
import { orderText } from '../../views/orders/order.js'
import type { ScreenId } from '../../views/screens.js'
import { symbolKey } from '../../views/text/symbol.js'
import { positionId } from '../positions/feeds.js'
import type { Target } from '../screen/screen.js'
import { numberOf, SCREENS } from '../shell/screens.js'

/** A place to jump to. */
export interface Place {
  /** In the list: `symbol`, `order`, `screen`. */
  kind: string
  name: string
  summary: string
  go: { screen: ScreenId } | { target: Target }
  /** True for what is over: an order that trades no more. */
  isPast?: boolean
}

const MOST_SYMBOLS = 30

/** Returns the screens as places. */
export function screenPlaces(): readonly Place[] {
  return SCREENS.map((screen) => ({
    kind: 'screen',
    name: screen.title,
    summary: `key ${numberOf(screen)}`,
    go: { screen: screen.id },
  }))
}

/** Reads the orders of today, the open positions, the workflows and the strategies. A list that may not be read is left out. */
export async function readPlaces(client: SvcClient): Promise<readonly Place[]> {
  const lists = await Promise.allSettled([
    orderPlaces(client),
    positionPlaces(client),
    workflowPlaces(client),
    strategyPlaces(client),
  ])
  return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []))
}

async function orderPlaces(client: SvcClient): Promise<readonly Place[]> {
  const orders = orderRecords(await client.call('orderbook', {}))
  const newestFirst = orders.toSorted((one, other) => other.timestamp.localeCompare(one.timestamp))
  return newestFirst.map((order) => ({
    kind: 'order',
    name: order.orderid,
    summary: `${orderText(order)} ${order.order_status}`,
    go: { target: { kind: 'order', id: order.orderid } },
    isPast: !WAITING.has(order.order_status),
  }))
}

async function positionPlaces(client: SvcClient): Promise<readonly Place[]> {
  const open = positionRecords(await client.call('positionbook', {})).filter(({ quantity }) => quantity !== 0)
  return open.map((position) => ({
    kind: 'position',
    name: symbolKey(position),
    summary: `${position.product} ${position.quantity}`,
    go: { target: { kind: 'position', id: positionId(position) } },
  }))
}

async function workflowPlaces(client: SvcClient): Promise<readonly Place[]> {
  const rows = await client.request('GET /flow/api/workflows', {})
  return rows.map(({ id, name, is_active }) => ({
    kind: 'workflow',
    name,
    summary: `${id}, ${is_active ? 'active' : 'inactive'}`,
    go: { target: { kind: 'workflow', id: String(id) } },
  }))
}

async function strategyPlaces(client: SvcClient): Promise<readonly Place[]> {
  const { data } = await client.request('GET /strategy/api/strategies', {})
  return data.map(({ id, name, status }) => ({
    kind: 'strategy',
    name,
    summary: `${id}, ${status}`,
    go: { target: { kind: 'strategy', id: String(id) } },
  }))
}

/** Searches symbols in the instrument master. */
export async function symbolPlaces(client: SvcClient, text: string): Promise<readonly Place[]> {
  const { results } = await client.request('GET /search/api/search', { query: { q: text } })
  return results.slice(0, MOST_SYMBOLS).map(({ symbol, exchange, name }) => ({
    kind: 'symbol',
    name: `${exchange}:${symbol}`,
    summary: name ?? '',
    go: { target: { kind: 'symbol', id: `${exchange}:${symbol}` } },
  }))
}

/**
 * Returns the places that match a text, with the symbols that the daemon has found for it: what somebody most likely wants
 * first. That is the symbol of this name, then what can be acted on now, then other symbols, then orders that are over,
 * the newest first. Within each, a match at the beginning comes before one within.
 */
export function matching(
  places: readonly Place[],
  symbols: readonly Place[],
  text: string,
): readonly Place[] {
  const sought = text.trim().toLowerCase()
  const ranked = [
    ...places.map((place) => ({ place, ...rankOf(place, sought) })),
    ...symbols.map((place) => ({ place, ...rankOfSymbol(place, sought) })),
  ]
  return ranked
    .filter(({ match }) => match < NO_MATCH)
    .toSorted((one, other) => one.want - other.want || one.match - other.match)
    .map(({ place }) => place)
}

interface Rank {
  /** How likely somebody wants it; 0 is best. */
  want: number
  /** How well it matches; 0 is best. */
  match: number
}

/** A text that is only found letter by letter is hardly what was meant. */
const [EXACT, LIVE, SYMBOL, PAST, SCATTERED_LETTERS] = [0, 1, 2, 3, 4]

function rankOf({ name, summary, isPast = false }: Place, sought: string): Rank {
  const match = matchOf(`${name} ${summary}`.toLowerCase(), sought)
  return { match, want: match === SCATTERED ? SCATTERED_LETTERS : isPast ? PAST : LIVE }
}

/** The daemon looks for symbols in its own way, so each of them matches. */
function rankOfSymbol({ name, summary }: Place, sought: string): Rank {
  const [whole, symbol = whole] = [name.toLowerCase(), ...name.toLowerCase().split(':').slice(1)]
  const isExact = sought === whole || sought === symbol
  return {
    want: isExact ? EXACT : SYMBOL,
    match: Math.min(matchOf(`${symbol} ${summary}`.toLowerCase(), sought), SCATTERED),
  }
}

const [SCATTERED, NO_MATCH] = [3, 4]

function matchOf(text: string, sought: string): number {
  if (text.startsWith(sought)) return 0
  const at = text.indexOf(sought)
  if (at > 0) return /[^a-z0-9]/.test(text[at - 1] ?? '') ? 1 : 2
  let from = 0
  for (const character of sought) {
    from = text.indexOf(character, from) + 1
    if (from === 0) return NO_MATCH
  }
  return SCATTERED
}
