import { ServiceError } from '../../errors/index.js'
import type { Database, Tx } from '../../storage/index.js'
import type { orderJournal } from '../../storage/tables/svc/orders.js'
import type { Clock } from '../../time/index.js'
import { type OrderEnd, storedEnd } from '../end.js'
import {
  FREE_ORDER_IDS,
  FREE_TRIGGER_IDS,
  INSERT_EVENT,
  INSERT_FILL,
  RECORDED,
  type StateUpdate,
  UPDATE_STATES,
  updatesParameter,
} from './statements.js'
import { needsFills, type OrderState, statesBefore } from './states.js'

/** The cause of a rejection. */
export type EndCause = NonNullable<(typeof orderJournal.$inferSelect)['endCause']>

/** What ended a doubt. */
export type SettledBy = NonNullable<(typeof orderJournal.$inferSelect)['settledBy']>

/** The filled quantity of an order, and its average price so far. */
export interface Fill {
  quantity: number
  price: number
}

/** The details of a change of state. */
export interface StateDetail {
  orderId?: string
  /** The broker's id of a GTT. */
  triggerId?: string
  /** The cause of a rejection; `refused` by default. */
  endCause?: EndCause
  reason?: string
  /** The account at the broker that it is sent from. */
  account?: string | undefined
  /** The algorithm of its strategy that it is sent under. */
  algoId?: string | undefined
  /** What ended the doubt about it. */
  settledBy?: SettledBy
  /** The end of its execution. It is stored even when an earlier update has already changed the state. */
  end?: OrderEnd
  detail?: string
  /** The larger of two reported fills counts, in any order of arrival. */
  filled?: Fill
}

/** One change of state. */
export interface Move extends StateDetail {
  orderRef: string
  to: OrderState
  /** The only state that the change may follow. By default it follows each state that the table of states allows. */
  onlyFrom?: OrderState
}

/** The state before each change; undefined for a change without an effect. */
type Before = (OrderState | undefined)[]

/** The changes of one caller. They succeed or fail together. */
interface Unit {
  moves: readonly Move[]
  resolve: (before: Before) => void
  reject: (error: unknown) => void
}

/** The units that share a transaction. Each order changes at most once in it, and each id is given at most once. */
interface Group {
  units: Unit[]
  names: Set<string>
}

/**
 * The changes of state of orders. Callers that wait for the same commit share one transaction: its statements cost as much
 * for thirty orders as for one.
 */
export class MoveStore {
  /** The group that takes more changes, until its transaction begins. */
  #open: Group | undefined
  #onMoved: (orderRefs: readonly string[]) => void = () => undefined

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
  ) {}

  /** Calls the listener with the references of orders after each change is durable. It must neither block nor throw. */
  onMoved(listener: (orderRefs: readonly string[]) => void): void {
    this.#onMoved = listener
  }

  /** Changes several orders, each at most once, or none of them. */
  all(moves: readonly Move[]): Promise<Before> {
    return new Promise((resolve, reject) => {
      const unit = { moves, resolve, reject }
      const open = this.#open
      if (open === undefined || moves.some((move) => namesOf(move).some((name) => open.names.has(name))))
        this.#begin(unit)
      else add(open, unit)
    })
  }

  #begin(unit: Unit): void {
    const group: Group = { units: [], names: new Set() }
    add(group, unit)
    this.#open = group
    void this.#store(group)
  }

  async #store(group: Group): Promise<void> {
    const close = () => {
      if (this.#open === group) this.#open = undefined
    }
    const fault = await this.#storeUnits(group.units, close)
    close()
    if (fault === undefined) return
    // A fault may concern one unit only; a failing disk concerns them all.
    const isShared = group.units.length > 1 && !(fault.error instanceof ServiceError)
    for (const unit of group.units) {
      const own = isShared ? await this.#storeUnits([unit]) : fault
      if (own) unit.reject(own.error)
    }
  }

  /** Stores units in one transaction, and answers them. @returns the fault if nothing is stored */
  async #storeUnits(units: readonly Unit[], begin?: () => void): Promise<{ error: unknown } | undefined> {
    let before: Before
    try {
      before = await this.#write(units, begin)
    } catch (error) {
      return { error }
    }
    this.#tell(units, before)
    return undefined
  }

  /** @param begin is called when the transaction begins, from when on it takes no more units */
  #write(units: readonly Unit[], begin: () => void = () => undefined): Promise<Before> {
    return this.db.write((tx) => {
      begin()
      return this.#moveIn(
        tx,
        units.flatMap(({ moves }) => moves),
      )
    })
  }

  #tell(units: readonly Unit[], before: Before): void {
    let from = 0
    for (const { moves, resolve } of units) {
      resolve(before.slice(from, from + moves.length))
      from += moves.length
    }
    this.#onMoved(units.flatMap(({ moves }) => moves.map(({ orderRef }) => orderRef)))
  }

  async #moveIn(tx: Tx, moves: readonly Move[]): Promise<Before> {
    const now = this.clock.now()
    const known = await recordedOf(tx, moves)
    const ownMoves = moves.filter((move) => isOf(move, known.get(move.orderRef)))
    const from = new Map(ownMoves.map((move) => [move, stateBefore(move, known.get(move.orderRef))]))
    const moved = ownMoves.filter((move) => from.get(move) !== undefined)
    await freeIds(tx, moved)
    const rows = ownMoves.map((move) => updateOf(move, from.get(move) !== undefined))
    await tx.exec(UPDATE_STATES, [now, updatesParameter(rows)])
    const fills = ownMoves.flatMap((move) => {
      const fill = fillOf(move, known.get(move.orderRef))
      return fill ? [{ orderRef: move.orderRef, quantity: fill.quantity, price: fill.price, at: now }] : []
    })
    await tx.batch(INSERT_FILL.rows(fills))
    const events = moved.map((move) => ({
      orderRef: move.orderRef,
      at: now,
      fromState: from.get(move) ?? null,
      toState: move.to,
      detail: detailOf(move),
    }))
    await tx.batch(INSERT_EVENT.rows(events))
    return moves.map((move) => from.get(move))
  }
}

function add({ names, units }: Group, unit: Unit): void {
  units.push(unit)
  for (const name of unit.moves.flatMap(namesOf)) names.add(name)
}

/** Returns what a change names: the order, and the ids that it takes from older orders. */
function namesOf({ orderId, orderRef, triggerId }: Move): string[] {
  return [
    orderRef,
    ...(orderId === undefined ? [] : [`order ${orderId}`]),
    ...(triggerId === undefined ? [] : [`trigger ${triggerId}`]),
  ]
}

/** The state and the filled quantity of an order before a change. */
interface Recorded {
  state: string
  filled: number
}

/** Returns the state and the filled quantity of each order. */
async function recordedOf(tx: Tx, moves: readonly Move[]): Promise<Map<string, Recorded>> {
  const refs = JSON.stringify(moves.map(({ orderRef }) => orderRef))
  const rows = await tx.query(RECORDED, [refs])
  return new Map(
    rows.map((row) => [String(row.order_ref), { state: String(row.state), filled: Number(row.filled ?? 0) }]),
  )
}

/**
 * Takes an id from older orders: a broker that restarts its numbers reuses ids, and the newest order keeps the id.
 */
async function freeIds(tx: Tx, moved: readonly Move[]): Promise<void> {
  const orders = moved.flatMap(({ orderId: id, orderRef }) => (id === undefined ? [] : [[orderRef, id]]))
  if (orders.length > 0) await tx.exec(FREE_ORDER_IDS, [JSON.stringify(orders)])
  const gtts = moved.flatMap(({ triggerId: id, orderRef }) => (id === undefined ? [] : [[orderRef, id]]))
  if (gtts.length > 0) await tx.exec(FREE_TRIGGER_IDS, [JSON.stringify(gtts)])
}

/** Returns whether a change is about the state that the order still has. */
function isOf({ onlyFrom }: Move, recorded: Recorded | undefined): boolean {
  return onlyFrom === undefined || onlyFrom === recorded?.state
}

/** Returns the state before a change; undefined when the change has no effect. */
function stateBefore({ to, filled }: Move, recorded: Recorded | undefined): OrderState | undefined {
  const from = statesBefore(to).find((state) => state === recorded?.state)
  if (from === undefined || !needsFills(from, to)) return from
  return (filled?.quantity ?? 0) > (recorded?.filled ?? 0) ? from : undefined
}

/**
 * Returns the fill that a move reports; undefined for a stale report. A broker may report the quantity before
 * the price, and the price only after the end of the order.
 */
function fillOf({ to, filled }: Move, recorded: Recorded | undefined): Fill | undefined {
  if (!filled || filled.quantity <= 0 || !recorded || filled.quantity < recorded.filled) return undefined
  const isOldNews = recorded.state !== to && !statesBefore(to).some((state) => state === recorded.state)
  return isOldNews ? undefined : filled
}

/** Returns the row for {@link UPDATE_STATES}. A change without effect still stores the end of the order. */
function updateOf(move: Move, moves: boolean): StateUpdate {
  const { orderRef, to, orderId, triggerId, reason, endCause, end, account, settledBy, algoId } = move
  const answer = end ? storedEnd(end) : null
  if (!moves) return { order_ref: orderRef, answer }
  return {
    order_ref: orderRef,
    state: to,
    order_id: orderId,
    trigger_id: triggerId,
    reason,
    end_cause: to === 'rejected' ? (endCause ?? 'refused') : null,
    answer,
    account,
    algo_id: algoId,
    settled_by: settledBy,
  }
}

function detailOf({ detail, reason, orderId, triggerId }: Move): string | null {
  return detail ?? reason ?? orderId ?? triggerId ?? null
}
