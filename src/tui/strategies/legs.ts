import type { RouteAnswer } from '../../client/index.js'

export type Strategy = RouteAnswer<'GET /strategy/api/strategies/:id'>['data']
export type Order = RouteAnswer<'GET /strategy/api/strategies/:id/orders'>['data'][number]
export type Checkpoint = RouteAnswer<'GET /strategy/api/strategies/:id/checkpoints'>['data'][number]
export type StrategyEvent = RouteAnswer<'GET /strategy/api/strategies/:id/events'>['data'][number]

const FEEDS = ['ws', 'polling', 'stale'] as const

/** A leg of a run as the screen shows it. Prices and amounts are rupees; null stands for not known. */
export interface ShownLeg {
  /** The id of the leg in its strategy. */
  id: number
  symbol: string
  side: string
  quantity: number
  status: 'configured' | 'open' | 'closed' | 'rejected'
  entry: number | null
  last: number | null
  stop: number | null
  target: number | null
  pnl: number | null
  /** The source of the prices: streamed, polled or stale. Empty without a position, and before the first checkpoint. */
  feed: (typeof FEEDS)[number] | ''
}

interface Position {
  side: 1 | -1
  held: number
  isEntryWorking: boolean
  hasFills: boolean
  entry: number | null
  realized: number
  saved: SavedPosition | undefined
}

/** The levels of a position that the daemon stored with the last checkpoint. */
interface SavedPosition {
  trailStop: number | null
  isStopAtEntry: boolean
}

interface SavedLeg {
  ltp: number | null
  source: ShownLeg['feed']
  positions: ReadonlyMap<string, SavedPosition>
}

/** Builds the legs of a run from its orders and its newest checkpoint. */
export function legsOf(
  strategy: Strategy,
  orders: readonly Order[],
  checkpoint: Checkpoint | undefined,
): readonly ShownLeg[] {
  const saved = savedLegs(checkpoint?.leg_state)
  return strategy.legs.map((config) => {
    const own = orders.filter((order) => order.leg_id === config.id)
    const leg = saved.get(config.id)
    const positions = positionsOf(own, leg)
    const newest = positions.at(-1)
    const held = newest?.held ?? 0
    const last = leg?.ltp ?? null
    const symbol = own.at(-1)?.symbol ?? nameOf(config, strategy)
    const known = positions.some(({ hasFills }) => hasFills)
    return {
      id: config.id,
      symbol,
      side: newest === undefined ? sideOf(config) : newest.side > 0 ? 'BUY' : 'SELL',
      quantity: held,
      status: statusOf(positions),
      entry: newest?.entry ?? null,
      last,
      ...levelsOf(config, newest),
      pnl: known ? sum(positions.map((position) => profitOf(position, last))) : null,
      feed: held > 0 ? (leg?.source ?? '') : '',
    }
  })
}

function positionsOf(orders: readonly Order[], saved: SavedLeg | undefined): readonly Position[] {
  const byRef = new Map<string, Order[]>()
  for (const order of orders) byRef.set(order.position_ref, [...(byRef.get(order.position_ref) ?? []), order])
  return [...byRef].map(([ref, rows]) => positionOf(rows, saved?.positions.get(ref)))
}

function positionOf(rows: readonly Order[], saved: SavedPosition | undefined): Position {
  const entries = rows.filter(({ kind }) => kind === 'entry')
  const exits = rows.filter(({ kind }) => kind !== 'entry')
  const [bought, sold] = [filled(entries), filled(exits)]
  const isBuy = (entries[0]?.action ?? (exits[0]?.action === 'SELL' ? 'BUY' : 'SELL')) === 'BUY'
  const side = isBuy ? 1 : -1
  const gained = sold.average === null || bought.average === null ? 0 : sold.average - bought.average
  return {
    side,
    held: bought.quantity - sold.quantity,
    isEntryWorking: entries.some(({ status }) => status === 'pending' || status === 'open'),
    hasFills: bought.quantity > 0,
    entry: bought.average,
    realized: gained * sold.quantity * side,
    saved,
  }
}

function filled(orders: readonly Order[]): { quantity: number; average: number | null } {
  const quantity = sum(orders.map((order) => order.filled_qty))
  const value = sum(orders.map((order) => order.filled_qty * (order.avg_fill_price ?? 0)))
  const isPriced = orders.every((order) => order.filled_qty === 0 || order.avg_fill_price !== null)
  return { quantity, average: quantity > 0 && isPriced ? value / quantity : null }
}

function statusOf(positions: readonly Position[]): ShownLeg['status'] {
  if (positions.length === 0) return 'configured'
  if (positions.some(({ held, isEntryWorking }) => held > 0 || isEntryWorking)) return 'open'
  return positions.some(({ hasFills }) => hasFills) ? 'closed' : 'rejected'
}

/** Returns the profit of a position; null while it is held and its price is not known. */
function profitOf({ held, entry, side, realized }: Position, last: number | null): number | null {
  if (held === 0) return realized
  return last === null || entry === null ? null : realized + (last - entry) * held * side
}

/** Returns stop and target of the held position. A trailed stop, or one moved to the entry, goes before the configured one. */
function levelsOf(
  leg: Strategy['legs'][number],
  position: Position | undefined,
): Pick<ShownLeg, 'stop' | 'target'> {
  const { entry = null, side = 1, held = 0, saved } = position ?? {}
  if (entry === null || held === 0) return { stop: null, target: null }
  const points = (given: number | null) =>
    given === null || given === 0 ? null : leg.risk_unit === 'percent' ? (given / 100) * entry : given
  const [stop, target] = [points(leg.sl_pts), points(leg.target_pts)]
  const configured = stop === null ? null : entry - side * stop
  const moved = [configured, saved?.trailStop ?? null, saved?.isStopAtEntry ? entry : null].filter(
    (level) => level !== null,
  )
  const tightest = moved.length === 0 ? null : side > 0 ? Math.max(...moved) : Math.min(...moved)
  return { stop: tightest, target: target === null ? null : entry + side * target }
}

function nameOf(leg: Strategy['legs'][number], { underlying }: Strategy): string {
  if ('symbol' in leg) return leg.symbol
  const strike = leg.strike_mode === 'strike' ? leg.strike : leg.atm_offset
  const parts = [underlying, leg.expiry, leg.option_type === null ? null : strike, leg.option_type]
  return parts.filter((part) => part !== null).join(' ')
}

function sideOf(leg: Strategy['legs'][number]): string {
  if ('side' in leg) return leg.side
  return leg.position === 'B' ? 'BUY' : 'SELL'
}

/** Reads the part of a checkpoint that the screen needs. Anything else is left out. */
function savedLegs(state: unknown): ReadonlyMap<number, SavedLeg> {
  const legs = listIn(state, 'legs').flatMap((leg) => {
    const id = Reflect.get(leg, 'legId')
    const positions = listIn(leg, 'positions').map((position): [string, SavedPosition] => [
      String(Reflect.get(position, 'positionRef')),
      {
        trailStop: numberIn(position, 'trailStop'),
        isStopAtEntry: Reflect.get(position, 'isStopAtEntry') === true,
      },
    ])
    const saved: SavedLeg = {
      ltp: numberIn(leg, 'ltp'),
      source: FEEDS.find((feed) => feed === Reflect.get(leg, 'source')) ?? '',
      positions: new Map(positions),
    }
    return typeof id === 'number' ? [[id, saved] as const] : []
  })
  return new Map(legs)
}

function listIn(value: unknown, key: string): readonly object[] {
  const list: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
  return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : []
}

function numberIn(value: object, key: string): number | null {
  const found: unknown = Reflect.get(value, key)
  return typeof found === 'number' && Number.isFinite(found) ? found : null
}

/** Returns a sum; null if a part is not known. */
function sum(values: readonly number[]): number
function sum(values: readonly (number | null)[]): number | null
function sum(values: readonly (number | null)[]): number | null {
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0)
}
