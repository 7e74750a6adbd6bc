import type { SvcClient } from '../../client/index.js'
import { orderText } from '../../views/orders/order.js'
import type { ScreenId } from '../../views/screens.js'
import type { Target } from '../screen/screen.js'
import { numberOf, SCREENS } from '../shell/screens.js'

/** A place to jump to. */
export interface Place {
  /** In the list: `symbol`, `order`, `screen`. */
  kind: string
  name: string
  summary: string
  go: { screen: ScreenId } | { target: Target }
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

/** Reads the orders of today, the workflows and the strategies. A list that may not be read is left out. */
export async function readPlaces(client: SvcClient): Promise<readonly Place[]> {
  const lists = await Promise.allSettled([
    orderPlaces(client),
    workflowPlaces(client),
    strategyPlaces(client),
  ])
  return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value : []))
}

async function orderPlaces(client: SvcClient): Promise<readonly Place[]> {
  const { data } = await client.call('orderbook', {})
  return data.orders.map((order) => ({
    kind: 'order',
    name: order.orderid,
    summary: `${orderText(order)} ${order.order_status}`,
    go: { target: { kind: 'order', id: order.orderid } },
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

/** Returns the places that match a text, the best first: its beginning, then a word's, then any part, then its letters. */
export function matching(places: readonly Place[], text: string): readonly Place[] {
  const sought = text.trim().toLowerCase()
  if (sought === '') return places
  return places
    .map((place) => ({ place, rank: rankOf(`${place.name} ${place.summary}`.toLowerCase(), sought) }))
    .filter(({ rank }) => rank < NO_MATCH)
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ place }) => place)
}

const NO_MATCH = 4

function rankOf(text: string, sought: string): number {
  if (text.startsWith(sought)) return 0
  const at = text.indexOf(sought)
  if (at > 0) return /[^a-z0-9]/.test(text[at - 1] ?? '') ? 1 : 2
  let from = 0
  for (const character of sought) {
    from = text.indexOf(character, from) + 1
    if (from === 0) return NO_MATCH
  }
  return 3
}
