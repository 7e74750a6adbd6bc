import type { LiveRun, RouteAnswer } from '../../client/index.js'
import { countText } from '../../views/text/count.js'

export type Strategy = RouteAnswer<'GET /strategy/api/strategies/:id'>['data']
export type Order = RouteAnswer<'GET /strategy/api/strategies/:id/orders'>['data'][number]
export type StrategyEvent = RouteAnswer<'GET /strategy/api/strategies/:id/events'>['data'][number]
type LiveLeg = LiveRun['legs'][number]

/** A leg of a run as the screen shows it. Prices and amounts are rupees; null stands for not known. */
export interface ShownLeg {
  /** The id of the leg in its strategy. */
  id: number
  symbol: string
  side: string
  quantity: number
  status: LiveLeg['status']
  entry: number | null
  last: number | null
  stop: number | null
  target: number | null
  pnl: number | null
  /** The source of the prices: streamed, polled or stale. Empty without a position. */
  feed: LiveLeg['tick_source'] | ''
}

/** Returns the legs of a run that the daemon sends. */
export function liveLegs(run: LiveRun, strategy: Strategy): readonly ShownLeg[] {
  return run.legs.map((leg) => {
    const config = strategy.legs.find(({ id }) => id === leg.leg_id)
    const isHeld = leg.qty > 0
    return {
      id: leg.leg_id,
      symbol: leg.symbol,
      side: leg.position === null ? (config ? legSide(config) : '') : leg.position === 'B' ? 'BUY' : 'SELL',
      quantity: leg.qty,
      status: leg.status,
      entry: leg.entry_avg,
      last: leg.ltp,
      stop: isHeld ? leg.effective_sl : null,
      target: isHeld ? leg.effective_target : null,
      // A held leg without a price has no profit yet.
      pnl: leg.entry_avg === null || (isHeld && leg.ltp === null) ? null : leg.mtm + leg.realized_pnl,
      feed: isHeld ? leg.tick_source : '',
    }
  })
}

interface Position {
  side: 1 | -1
  held: number
  isEntryWorking: boolean
  hasFills: boolean
  entry: number | null
  realized: number
}

/** Builds the legs of a run that the daemon does not send, from its orders: it is over, or was not restored. */
export function legsOf(strategy: Strategy, orders: readonly Order[]): readonly ShownLeg[] {
  return strategy.legs.map((config) => {
    const own = orders.filter((order) => order.leg_id === config.id)
    const positions = legPositions(own)
    const newest = positions.at(-1)
    const isKnown = positions.some(({ hasFills }) => hasFills)
    return {
      id: config.id,
      symbol: own.at(-1)?.symbol ?? legName(config, strategy),
      side: newest === undefined ? legSide(config) : newest.side > 0 ? 'BUY' : 'SELL',
      quantity: newest?.held ?? 0,
      status: legStatus(positions),
      entry: newest?.entry ?? null,
      last: null,
      stop: null,
      target: null,
      feed: '' as const,
      pnl: isKnown && positions.every(({ held }) => held === 0) ? total(positions) : null,
    }
  })
}

function legPositions(orders: readonly Order[]): readonly Position[] {
  const byRef = new Map<string, Order[]>()
  for (const order of orders) byRef.set(order.position_ref, [...(byRef.get(order.position_ref) ?? []), order])
  return [...byRef.values()].map(legPosition)
}

function legPosition(rows: readonly Order[]): Position {
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
  }
}

function filled(orders: readonly Order[]): { quantity: number; average: number | null } {
  const quantity = sum(orders.map((order) => order.filled_qty))
  const value = sum(orders.map((order) => order.filled_qty * (order.avg_fill_price ?? 0)))
  const isPriced = orders.every((order) => order.filled_qty === 0 || order.avg_fill_price !== null)
  return { quantity, average: quantity > 0 && isPriced ? value / quantity : null }
}

function legStatus(positions: readonly Position[]): ShownLeg['status'] {
  if (positions.length === 0) return 'configured'
  if (positions.some(({ held, isEntryWorking }) => held > 0 || isEntryWorking)) return 'open'
  return positions.some(({ hasFills }) => hasFills) ? 'closed' : 'rejected'
}

/** Returns what a start would enter for a leg, from the configuration alone: `SELL 2 lots of NIFTY weekly ATM CE, NRML`. */
export function entryText(
  leg: Strategy['legs'][number],
  strategy: Pick<Strategy, 'product' | 'underlying'>,
): string {
  return `${legSide(leg)} ${sizeText(leg)} of ${legName(leg, strategy)}, ${strategy.product}`
}

function sizeText(leg: Strategy['legs'][number]): string {
  if ('qty' in leg) return `${leg.qty} ${leg.qty_mode}`
  return countText(leg.lots, leg.segment === 'cash' ? 'share' : 'lot')
}

function legName(leg: Strategy['legs'][number], { underlying }: Pick<Strategy, 'underlying'>): string {
  if ('symbol' in leg) return leg.symbol
  const strike = leg.strike_mode === 'strike' ? leg.strike : leg.atm_offset
  const contract = leg.option_type === null ? [] : [strike, leg.option_type]
  const parts = [underlying, leg.expiry, ...(leg.segment === 'futures' ? ['FUT'] : contract)]
  return parts.filter((part) => part !== null).join(' ')
}

function legSide(leg: Strategy['legs'][number]): string {
  if ('side' in leg) return leg.side
  return leg.position === 'B' ? 'BUY' : 'SELL'
}

const total = (positions: readonly Position[]) => sum(positions.map(({ realized }) => realized))
const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)
