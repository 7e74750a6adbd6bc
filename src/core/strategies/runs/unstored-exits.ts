import type { SentOrder, StrategyOrderState } from '../../orders/index.js'
import type { RunOrder } from '../engine/messages.js'
import type { StoredOrder } from './store/run-rows.js'

/** A position as the rows and the news of its orders describe it. */
interface Held {
  entry: StoredOrder
  /** The units that no exit closes yet. */
  left: number
}

/**
 * Returns the exits that a run sent while the disk refused their rows. An entry without a row is never sent, so each order
 * of the strategy without a row left one of the run's positions. Their kind is not known any more.
 * @param sent orders of the strategy without a row, oldest first
 */
export function unstoredExits(
  rows: readonly StoredOrder[],
  sent: readonly SentOrder[],
  states: ReadonlyMap<string, StrategyOrderState>,
): RunOrder[] {
  const positions = heldOf(rows, states)
  return sent.flatMap((order) => {
    const position = ownerOf(order, positions)
    const state = states.get(order.orderRef)
    if (!position || !state || isDead(state)) return []
    position.left -= isWorking(state) ? order.quantity : state.filledQuantity
    const { exchange, legId, positionRef, product, symbol } = position.entry
    return [
      {
        id: order.orderRef,
        legId,
        kind: 'exit_recovery',
        positionRef,
        exitOwner: 'live',
        symbol,
        exchange,
        product,
        action: order.action,
        quantity: order.quantity,
      } satisfies RunOrder,
    ]
  })
}

function heldOf(rows: readonly StoredOrder[], states: ReadonlyMap<string, StrategyOrderState>): Held[] {
  const filledOf = (row: StoredOrder) => Math.max(row.filledQuantity, states.get(row.id)?.filledQuantity ?? 0)
  return rows
    .filter(({ kind }) => kind === 'entry')
    .map((entry) => {
      const others = rows.filter((row) => row.positionRef === entry.positionRef && row !== entry)
      const sides = others.map((row) => (row.action === entry.action ? filledOf(row) : -filledOf(row)))
      const left = sides.reduce((sum, part) => sum + part, filledOf(entry) - (entry.closedElsewhere ?? 0))
      return { entry, left }
    })
}

/** Returns the position that an order left: the one of its quantity, if there is one. */
function ownerOf(order: SentOrder, positions: readonly Held[]): Held | undefined {
  const fitting = positions.filter(
    ({ entry, left }) =>
      left > 0 &&
      entry.action !== order.action &&
      entry.symbol === order.symbol &&
      entry.exchange === order.exchange &&
      entry.product === order.product,
  )
  return fitting.find(({ left }) => left === order.quantity) ?? fitting[0]
}

function isWorking({ status }: StrategyOrderState): boolean {
  return !['unsent', 'complete', 'cancelled', 'rejected'].includes(status)
}

/** True if the order ended without a fill. */
function isDead(state: StrategyOrderState): boolean {
  return state.filledQuantity === 0 && !isWorking(state)
}
