import { crashPoint, messageOf } from '../../../errors/index.js'
import type { StrategyOrder } from '../../../orders/index.js'
import { PRODUCTS, type Product } from '../../../orders/schema.js'
import type { RunDefinition } from '../../engine/definition.js'
import type { AckOutcome, RunInput, RunOrder } from '../../engine/messages.js'
import type { Hedge } from '../../engine/types.js'
import { ackOf, changeOfEnd, type OrderNews, updateOf } from '../order-news.js'
import type { RunPorts } from '../ports.js'
import type { OrderRowChange } from '../store/run-rows.js'

/** Exits that sell wait for the answers to those that buy, but not longer. */
const LONGEST_HEDGE_WAIT_MS = 1_500
/** Exits wait for a comparison of their account, but not longer. */
const LONGEST_COMPARISON_WAIT_MS = 1_000

export interface OrderSenderParts extends Pick<RunPorts, 'clock' | 'log' | 'orders'> {
  definition: RunDefinition
  userId: string
  /** The broker at which the run began, or the sandbox. */
  broker: string
  news: OrderNews
  /** Resolves when the service has restored its runs. Exits wait for it: an account holds the positions of all of them. */
  restored: Promise<void>
  /** Called with the reference of each order before it is placed. */
  onOrder(orderRef: string): void
  /**
   * Returns the end of a comparison of the account that exits should know before they leave; undefined if there is none.
   * Never rejects.
   */
  beforeExit(exits: readonly RunOrder[]): Promise<void> | undefined
  /** Resolves when every input until now is stored and its cancels are passed on. Never rejects. */
  stored(): Promise<void>
  /** Resolves with how the purchases of its start stand, once they have filled or ended, or after a moment. */
  hedgeOf(orderRef: string): Promise<Hedge | undefined>
  /** Gives the engine inputs whose effects are stored together. Returns at once. */
  apply(inputs: readonly RunInput[], changes: readonly OrderRowChange[]): void
}

/**
 * Sends the orders of one run, once their rows are stored, and gives the answers to its engine. It buys before it sells, and
 * holds no entry behind an exit or an exit behind an entry. A cancel keeps an order that still waits here from being sent.
 */
export class OrderSender {
  readonly #parts: OrderSenderParts
  /** Orders that were cancelled before their turn came. */
  readonly #unwanted = new Set<string>()
  /** Orders that the engine wants and that are not answered yet. */
  readonly #unanswered = new Set<string>()
  readonly #legs = new Map<string, number>()
  /** The work on orders that is in flight. */
  readonly #sending = new Set<Promise<unknown>>()

  constructor(parts: OrderSenderParts) {
    this.#parts = parts
  }

  /** The legs of the orders that were placed here or restored, by the references of the orders. */
  get legs(): ReadonlyMap<string, number> {
    return this.#legs
  }

  /** True if no order waits here, or for its answer. */
  get isIdle(): boolean {
    return this.#sending.size === 0
  }

  /** Resolves when the work that is in flight now has ended. It may have begun further work. */
  settled(): Promise<unknown> {
    return Promise.all(this.#sending)
  }

  /** Takes orders that an earlier process placed. */
  adopt(orders: readonly Pick<RunOrder, 'id' | 'legId'>[]): void {
    for (const order of orders) this.#own(order)
    this.#parts.orders.changes.watch(orders.map(({ id }) => id))
  }

  /** Notes an order whose row is about to be stored. From now on a cancel keeps it from being sent. */
  noteRequested({ id }: RunOrder): void {
    this.#unanswered.add(id)
  }

  /** Refuses the entries among orders whose rows could not be written. Returns the others: an exit is sent all the same. */
  refuseEntries(orders: readonly RunOrder[]): RunOrder[] {
    const at = this.#parts.clock.now()
    for (const { id } of orders.filter(isEntry)) {
      const reason = 'The order could not be stored, so it was not sent.'
      this.#unanswered.delete(id)
      const ack = { outcome: 'refused', reason, stored: false } as const
      this.#parts.apply([{ type: 'ack', orderId: id, at, ack }], [])
    }
    return orders.filter((order) => !isEntry(order))
  }

  /** Cancels orders, by their references, and sends others. Returns at once: the engine gets the answers as inputs. */
  send(orders: readonly RunOrder[], cancels: readonly string[]): void {
    for (const ref of cancels) this.#track(this.#cancel(ref))
    if (orders.length === 0) return
    this.#track(this.#sendExits(orders.filter((order) => !isEntry(order))))
    this.#track(this.#sendEntries(orders.filter(isEntry)))
  }

  /**
   * Buys before it sells: a hedge that is sold before its short is bought back leaves the short without its margin. A stop
   * waits for a slow or refused purchase only shortly, and never sells less because of it.
   */
  async #sendExits(exits: readonly RunOrder[]): Promise<void> {
    await this.#parts.restored
    await this.#awaitComparison(exits)
    const { buys, sells } = bySide(exits)
    const bought = buys.map((order) => this.#track(this.#place(order)))
    if (buys.length > 0 && sells.length > 0) await this.#atMost(LONGEST_HEDGE_WAIT_MS, Promise.all(bought))
    for (const order of sells) this.#track(this.#place(order))
  }

  /** Somebody else may have closed a position just now. The engine then takes its exit back before it leaves. */
  async #awaitComparison(exits: readonly RunOrder[]): Promise<void> {
    const { beforeExit, stored } = this.#parts
    const compared = exits.length === 0 ? undefined : beforeExit(exits)
    if (compared) await this.#atMost(LONGEST_COMPARISON_WAIT_MS, compared.then(stored))
  }

  /** Resolves with the work, or after a time without it. */
  #atMost(ms: number, work: Promise<unknown>): Promise<void> {
    const { clock } = this.#parts
    return new Promise((resolve) => {
      const timer = clock.setTimeout(resolve, ms)
      void work.finally(() => {
        clock.clear(timer)
        resolve()
      })
    })
  }

  /**
   * Buys before it sells: the long legs lower the margin of the short ones. It sells nothing when a purchase of the same
   * start was not accepted, or was rejected after that without a fill, because the sale would stand there without its hedge.
   */
  async #sendEntries(entries: readonly RunOrder[]): Promise<void> {
    const { buys, sells } = bySide(entries)
    const answers = await Promise.all(buys.map((order) => this.#place(order)))
    const areAccepted = answers.every((outcome) => outcome === 'accepted' || outcome === 'queued')
    const hedge = areAccepted ? await this.#hedgeOf(sells) : 'missing'
    if (hedge !== 'missing') {
      // A purchase that waits for approval comes first there, too.
      await Promise.all(sells.map((order) => this.#place(order, hedge === 'waiting')))
    } else {
      for (const order of sells)
        this.#leaveOut(
          order,
          'Not sent: an order to buy of the same start was not accepted, or ended without a fill',
        )
    }
  }

  /** The purchases of a start are the same for all of its sales. */
  async #hedgeOf([sale]: readonly RunOrder[]): Promise<Hedge | undefined> {
    return sale && this.#parts.hedgeOf(sale.id)
  }

  /** Ends an order that was stored and never sent. */
  #leaveOut(order: RunOrder, reason: string): void {
    const { id: orderRef } = order
    this.#own(order)
    this.#unwanted.delete(orderRef)
    this.#answer(orderRef, { outcome: 'refused', reason }, [
      { orderRef, status: 'rejected', filledQuantity: 0, averagePrice: null, orderId: null, reason },
    ])
  }

  /** Follows work until its end. The returned promise never rejects. */
  #track(work: Promise<unknown>): Promise<unknown> {
    const { definition, log } = this.#parts
    const followed: Promise<unknown> = work
      .catch((error: unknown) => {
        log.error('strategy_run.order_failed', { run: definition.runId, error: messageOf(error) })
      })
      .finally(() => this.#sending.delete(followed))
    this.#sending.add(followed)
    return followed
  }

  /**
   * Places an order, and returns the answer to it.
   * @param mustWait true if a person approves it, whatever the order mode is now
   */
  async #place(order: RunOrder, mustWait = false): Promise<AckOutcome['outcome']> {
    const { clock, news, orders } = this.#parts
    const { id } = order
    if (this.#unwanted.has(id)) {
      this.#leaveOut(order, 'Cancelled before it was sent')
      return 'refused'
    }
    this.#own(order)
    const end = await orders.place({ ...this.#orderOf(order), mustWait })
    if (isEntry(order)) crashPoint('strategies.entry.beforeRecord')
    else crashPoint('strategies.exit.beforeRecord')
    // A market order may have filled by now. The answer to a request then shows it.
    const [state] = end.outcome === 'placed' ? await orders.statesOf([id]).catch(() => []) : []
    const ack = ackOf(end)
    if (state && state.filledQuantity > 0) {
      this.#answer(id, ack, news.changesOf(state), [updateOf(state, clock.now())])
    } else {
      this.#answer(id, ack, [changeOfEnd(end)])
    }
    return ack.outcome
  }

  /** @param updates what the engine learns just before the answer, stored together with it */
  #answer(
    orderId: string,
    ack: AckOutcome,
    changes: readonly OrderRowChange[],
    updates: readonly RunInput[] = [],
  ): void {
    this.#unanswered.delete(orderId)
    const at = this.#parts.clock.now()
    this.#parts.apply([...updates, { type: 'ack', orderId, at, ack }], changes)
  }

  #orderOf({ id, kind, symbol, exchange, action, quantity, product }: RunOrder): StrategyOrder {
    const { broker, definition, userId } = this.#parts
    const { accountId, mode, strategyName } = definition
    return {
      accountId,
      orderRef: id,
      userId,
      strategy: strategyName,
      symbol,
      exchange,
      action,
      quantity,
      mode: mode === 'live' ? 'live' : 'analyze',
      broker,
      role: kind === 'entry' ? 'entry' : 'exit',
      product: productOf(product),
    }
  }

  async #cancel(orderRef: string): Promise<void> {
    const { log, orders, userId } = this.#parts
    if (this.#unanswered.has(orderRef) && !this.#legs.has(orderRef)) {
      this.#unwanted.add(orderRef)
      return
    }
    const outcome = await orders.cancel(orderRef, userId)
    if (!outcome.ok) {
      log.warn('strategy_run.not_cancelled', { order_ref: orderRef, reason: outcome.message })
    }
  }

  #own({ id, legId }: Pick<RunOrder, 'id' | 'legId'>): void {
    this.#legs.set(id, legId)
    this.#parts.onOrder(id)
  }
}

function isEntry({ kind }: RunOrder): boolean {
  return kind === 'entry'
}

function bySide(orders: readonly RunOrder[]): { buys: RunOrder[]; sells: RunOrder[] } {
  return {
    buys: orders.filter(({ action }) => action === 'BUY'),
    sells: orders.filter(({ action }) => action === 'SELL'),
  }
}

function productOf(text: string): Product {
  const product = PRODUCTS.find((one) => one === text)
  if (product === undefined) throw new Error(`an order has the product ${text}`)
  return product
}
