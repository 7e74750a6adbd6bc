import type { BrokerOrder } from '../../brokers/broker.js'
import { exactQuantity } from '../../money/index.js'
import {
  type AccountAt,
  type Contract,
  endsWithTheDay,
  heldIn,
  keyOf,
  Quantities,
  signedFill,
} from './account-at.js'

/** The part of a contract that the journal explains, and the part that it does not. Signed quantities. */
export interface External extends Contract {
  /** All fills of the journal since the first comparison. */
  ours: number
  /** What the journal does not explain: now, and when the trading day began. */
  external: number
  before: number
}

/** The journal's view of an account. */
export interface Explained {
  /** The rows of the last comparison; undefined before the first one. */
  last: { session: string; rows: readonly External[] } | undefined
  /** The fills that the journal has recorded since the last comparison. */
  recorded: Quantities
  /** The recorded fill of each order of ours that the book lists, by the broker's id. */
  filled: ReadonlyMap<string, number>
  /** Returns whether nobody knows the position: an order of it is in doubt, or its contract is counted in unknown units. */
  isUnsettled(contract: Contract): boolean
  /** Returns whether a contract has expired. */
  hasEnded(contract: Contract): boolean
}

export interface Compared {
  rows: External[]
  /** What changed since the last comparison, and the journal does not explain. */
  changes: { contract: Contract; quantity: number }[]
}

/** Compares what an account holds with the journal. Both are of one moment. */
export function compare(account: AccountAt, explained: Explained, session: string): Compared {
  const held = heldIn(account)
  const { ofDay, unrecorded } = ownFills(account.orders, explained.filled)
  const isNewDay = explained.last?.session !== session
  const known = new Map(explained.last?.rows.map((row) => [keyOf(row), row]))
  const compared: Compared = { rows: [], changes: [] }
  for (const contract of contractsIn(held, explained, unrecorded)) {
    const old = known.get(keyOf(contract)) ?? { ...contract, ours: 0, external: 0, before: 0 }
    const isOfDay = endsWithTheDay(contract)
    const ours = explained.last ? exactQuantity(old.ours + explained.recorded.of(contract)) : 0
    const lastExternal = isOfDay && isNewDay ? 0 : old.external
    // The first comparison has nothing to keep.
    if (explained.last && explained.isUnsettled(contract)) {
      const before = isNewDay ? lastExternal : old.before
      compared.rows.push({ ...contract, ours: isOfDay ? 0 : ours, external: lastExternal, before })
      continue
    }
    if (!isOfDay && held.of(contract) === 0 && explained.hasEnded(contract)) continue
    const own = isOfDay ? ofDay.of(contract) : ours + unrecorded.of(contract)
    const external = exactQuantity(held.of(contract) - own)
    const before = explained.last === undefined ? external : isNewDay ? lastExternal : old.before
    if (ours !== 0 || external !== 0 || before !== 0) {
      compared.rows.push({ ...contract, ours: isOfDay ? 0 : ours, external, before })
    }
    const isFirst = explained.last === undefined
    if (!isFirst && external !== lastExternal) {
      compared.changes.push({ contract, quantity: exactQuantity(external - lastExternal) })
    }
  }
  return compared
}

function contractsIn(held: Quantities, { last, recorded }: Explained, unrecorded: Quantities): Contract[] {
  const all = [
    ...held.contracts(),
    ...recorded.contracts(),
    ...unrecorded.contracts(),
    ...(last?.rows ?? []).map(({ exchange, product, symbol }) => ({ exchange, product, symbol })),
  ]
  return [...new Map(all.map((contract) => [keyOf(contract), contract])).values()]
}

/**
 * Returns what our orders of the day have filled, and the part that the journal has not recorded. The book counts and not the
 * journal, because the positions are of the same moment.
 */
function ownFills(
  orders: readonly BrokerOrder[],
  filled: ReadonlyMap<string, number>,
): { ofDay: Quantities; unrecorded: Quantities } {
  const [ofDay, unrecorded] = [new Quantities(), new Quantities()]
  for (const order of orders) {
    const recorded = filled.get(order.orderId)
    if (recorded === undefined) continue
    ofDay.add(order, signedFill(order))
    unrecorded.add(order, signedFill({ ...order, filledQuantity: order.filledQuantity - recorded }))
  }
  return { ofDay, unrecorded }
}
