import type { BrokerClient, BrokerOrder } from '../../brokers/broker.js'
import type { EventTopics } from '../../events/index.js'
import { type Clock, sessionDate } from '../../time/index.js'
import { accountAt } from '../account/positions.js'
import type { OrderJournal } from '../journal/journal.js'
import { isOrderRef } from '../order-ref.js'
import type { LiveExecution } from '../ports.js'
import { type AccountAt, type Contract, contractOf, keyOf } from './account-at.js'
import { type Compared, compare } from './compare.js'
import type { AccountName, Comparison, DriftStore } from './drift-store.js'

type DriftEvent = EventTopics['broker_drift']

/** The longest that a fill is on its way to the disk. */
const RECORDING_MS = 10_000

interface DriftParts {
  clock: Pick<Clock, 'now'>
  store: DriftStore
  journal: Pick<OrderJournal, 'inDoubtAt'>
  broker: Pick<LiveExecution, 'accountId' | 'brokerId' | 'client'>
  /** Tells the whole book of the account. */
  noteBook(orders: readonly BrokerOrder[]): void
  /** Returns whether the loaded instruments are those of the active broker: without them symbols are spelled otherwise. */
  hasInstruments(): boolean
  /** Returns whether a contract has expired, or is listed no more. */
  hasEnded(contract: Contract): boolean
  publish(event: DriftEvent): void
}

/** What an account holds beside the journal. */
export interface Drift {
  /** Epoch milliseconds. */
  comparedAt: number
  /** The broker's ids of the orders of the day that are not ours. */
  orders: readonly string[]
  /** By how much positions changed since the trading day began, and the journal does not explain it. */
  positions: DriftEvent['positions']
}

/**
 * Compares the whole book and all positions of the account at the broker with the journal. The first comparison of an account
 * only remembers what it holds. From then on orders without a row and a tag of ours, and changes of positions that the fills of
 * the journal do not explain, are external: shown, and never touched.
 */
export class BrokerDrift {
  /** What was published last and is not stored. */
  #published: string | undefined
  #latest: { account: string; drift: Drift } | undefined

  constructor(private readonly parts: DriftParts) {}

  /** Returns the last comparison of the active account; undefined before the first one. */
  async state(): Promise<Drift | undefined> {
    const last = await this.parts.store.last(this.#account())
    return last && driftIn(last)
  }

  /** Returns the last comparison of the active account since the start; undefined before the first one. */
  latest(): Drift | undefined {
    return this.#latest?.account === keyOfAccount(this.#account()) ? this.#latest.drift : undefined
  }

  /**
   * Compares the account now. @returns false if it waits for the instruments, or another account has signed in meanwhile
   * @throws BrokerError or ServiceError if it cannot be read; nothing changes then
   */
  async compare(client: BrokerClient): Promise<boolean> {
    const { clock, hasEnded, hasInstruments, journal, store } = this.parts
    if (!hasInstruments()) return false
    const name = this.#account()
    const account = await readAccount(client)
    if (keyOfAccount(name) !== keyOfAccount(this.#account())) return false
    this.parts.noteBook(account.orders)
    const now = clock.now()
    // A transaction with a fill may still be on its way to the disk. The book has such a fill.
    const through = now - RECORDING_MS
    const session = sessionDate(now)
    const last = await store.last(name)
    const own = await this.#own(name.broker, account.orders, through)
    const doubts = new Set((await journal.inDoubtAt(name.broker, 0)).map((row) => keyOf(contractOf(row))))
    const unsettled = new Set(
      account.positions.filter((row) => row.unsettled !== undefined).map((row) => keyOf(contractOf(row))),
    )
    const { changes, rows } = compare(
      account,
      {
        last,
        recorded: await store.recorded(name, last?.through ?? through, through),
        filled: own.filled,
        isUnsettled: (contract) => doubts.has(keyOf(contract)) || unsettled.has(keyOf(contract)),
        hasEnded,
      },
      session,
    )
    const wasForeign = new Set(last?.foreignOrders)
    // An order without a tag may be one in doubt.
    const foreign = own.foreign.filter(
      (order) => wasForeign.has(order.orderId) || !doubts.has(keyOf(contractOf(order))),
    )
    const foreignOrders = foreign.map(({ orderId }) => orderId)
    const news = last && foreign.filter(({ orderId }) => !wasForeign.has(orderId))
    // Published before it is stored: after a crash between the two it is found and published once more instead of never.
    if (news) this.#publishNews(name, now, { orders: news, changes })
    await store.store(name, { session, at: now, through, rows, foreignOrders })
    this.#published = undefined
    this.#latest = { account: keyOfAccount(name), drift: driftIn({ at: now, rows, foreignOrders }) }
    return true
  }

  /** Publishes what is new, unless that was published already and could not be stored. */
  #publishNews(
    { account, broker }: AccountName,
    now: number,
    { changes, orders }: { orders: readonly BrokerOrder[]; changes: Compared['changes'] },
  ): void {
    if (orders.length === 0 && changes.length === 0) return
    const positions = changes.map(({ contract, quantity }) => positionOf(contract, quantity))
    const found = JSON.stringify([broker, account, orders.map(({ orderId }) => orderId), positions])
    if (found === this.#published) return
    this.#published = found
    this.parts.publish({
      broker,
      compared_at: new Date(now).toISOString(),
      orders: orders.map(orderOf),
      positions,
      message: `Not from this service, at ${broker}: ${driftText(orders.length, positions)}`,
    })
  }

  #account(): AccountName {
    const { accountId = '', brokerId } = this.parts.broker
    return { broker: brokerId, account: accountId }
  }

  /** Divides the orders of a book into ours, with the fill that the journal has recorded of each, and foreign ones. */
  async #own(broker: string, orders: readonly BrokerOrder[], through: number) {
    const tags = orders.flatMap(({ tag }) => (tag !== undefined && isOrderRef(tag) ? [tag] : []))
    const rows = await this.parts.store.own(
      broker,
      { ids: orders.map(({ orderId }) => orderId), tags },
      through,
    )
    const byRef = new Map(rows.map((row) => [row.orderRef, row.filled]))
    const byId = new Map(rows.flatMap((row) => (row.orderId === null ? [] : [[row.orderId, row.filled]])))
    const filled = new Map<string, number>()
    const foreign: BrokerOrder[] = []
    for (const order of orders) {
      const recorded = byId.get(order.orderId) ?? byRef.get(order.tag ?? '')
      if (recorded !== undefined) filled.set(order.orderId, recorded)
      else if (order.tag === undefined || !isOrderRef(order.tag)) foreign.push(order)
    }
    return { filled, foreign }
  }
}

async function readAccount(client: BrokerClient): Promise<AccountAt> {
  const { orders, positions } = await accountAt(client, () => true)
  return { orders, positions, holdings: await client.portfolio.holdings('exit') }
}

function driftIn({ at, foreignOrders, rows }: Pick<Comparison, 'at' | 'foreignOrders' | 'rows'>): Drift {
  const changed = rows.filter(({ before, external }) => before !== external)
  return {
    comparedAt: at,
    orders: foreignOrders,
    positions: changed.map((row) => positionOf(row, row.external - row.before)),
  }
}

function keyOfAccount({ account, broker }: AccountName): string {
  return JSON.stringify([broker, account])
}

function positionOf(
  { exchange, product, symbol }: Contract,
  quantity: number,
): DriftEvent['positions'][number] {
  return { symbol, exchange: exchange === '' ? null : exchange, product, quantity }
}

function orderOf(order: BrokerOrder): DriftEvent['orders'][number] {
  const { action, exchange, orderId, product, quantity, status, symbol } = order
  return { orderid: orderId, symbol, exchange, action, quantity, product, status }
}

/** Returns a difference in words: `2 orders, SBIN CNC -10, NFO:NIFTY24DEC26FUT NRML +75`. */
export function driftText(orders: number, positions: DriftEvent['positions']): string {
  const texts = [
    ...(orders === 0 ? [] : [`${orders} ${orders === 1 ? 'order' : 'orders'}`]),
    ...positions.map(
      ({ exchange, product, quantity, symbol }) =>
        `${exchange === null ? '' : `${exchange}:`}${symbol} ${product} ${quantity > 0 ? '+' : ''}${quantity}`,
    ),
  ]
  return texts.join(', ')
}
