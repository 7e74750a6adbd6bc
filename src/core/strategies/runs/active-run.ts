import { crashPoint, messageOf } from '../../errors/index.js'
import type { StrategyOrder, StrategyOrderState } from '../../orders/index.js'
import { PRODUCTS, type Product } from '../../orders/schema.js'
import type { Contract, Run, RunEffect, RunInput, RunOrder, RunReply, RunSnapshot } from '../engine/types.js'
import { ackOf, changeOfEnd, changeOfState } from './order-news.js'
import type { RunPorts } from './ports.js'
import type { NewRunEvent, OrderRowChange, RunEnd, RunStore, RunWrite } from './run-store.js'

/** The feed as a run uses it. */
export interface RunFeed {
  watch(run: ActiveRun, contract: Contract): void
  unwatch(run: ActiveRun, contract: Contract): void
}

interface ActiveRunParts extends Pick<RunPorts, 'clock' | 'log' | 'orders' | 'publish'> {
  store: RunStore
  feed: RunFeed
  userId: string
  /** The broker at which the run began, or the sandbox. */
  broker: string
  /** Called with the reference of each order before it is placed. */
  onOrder(orderRef: string): void
  /** Called when the end of the run is durable. */
  onFinished(): void
}

/** The effects of one input, with the news about orders that the input brought. */
interface Batch {
  effects: readonly RunEffect[]
  changes: readonly OrderRowChange[]
}

/**
 * One run with its engine, its rows and its orders. An input changes the engine at once. Everything that the input
 * asks for is then done in the order of the inputs: first one transaction, then the orders. The answers of brokers are
 * inputs again, so a slow broker holds no other order of the run.
 */
export class ActiveRun {
  readonly #parts: ActiveRunParts
  readonly #run: Run
  readonly #replies = new Map<string, (reply: RunReply) => void>()
  /** Orders that were cancelled before their turn came. */
  readonly #unwanted = new Set<string>()
  /** Orders that are placed and not answered yet. */
  readonly #unanswered = new Set<string>()
  readonly #refs = new Set<string>()
  readonly #dispatching = new Set<Promise<void>>()
  /** Changes that the disk refused, oldest first. */
  readonly #unwritten: RunWrite[] = []
  #tail: Promise<void> = Promise.resolve()
  #requests = 0
  #isCheckpointDue = true
  #hasEnded = false

  constructor(run: Run, parts: ActiveRunParts) {
    this.#run = run
    this.#parts = parts
  }

  get definition() {
    return this.#run.definition
  }

  get strategyId(): number {
    return this.#run.definition.strategyId
  }

  get runId(): number {
    return this.#run.definition.runId
  }

  get userId(): string {
    return this.#parts.userId
  }

  /** True once the end of the run is durable. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** The references of the orders that it placed or was restored with. */
  get orderRefs(): ReadonlySet<string> {
    return this.#refs
  }

  get symbols(): readonly Contract[] {
    return this.#run.symbols
  }

  snapshot(): RunSnapshot {
    return this.#run.snapshot()
  }

  /** Takes orders that an earlier process placed. */
  adopt(orderRefs: Iterable<string>): void {
    const refs = [...orderRefs]
    for (const ref of refs) this.#own(ref)
    this.#parts.orders.changes.watch(refs)
  }

  /** Gives the engine an input. Returns at once: the effects follow in their turn. */
  apply(input: RunInput, changes: readonly OrderRowChange[] = []): void {
    const effects = this.#run.apply(input)
    if (effects.length > 0 || changes.length > 0) this.perform(effects, changes)
  }

  /** Gives the engine a tick. Most ticks have no effect. */
  tick(contract: Contract, price: number, at: number): void {
    const { symbol, exchange } = contract
    const effects = this.#run.apply({ type: 'tick', symbol, exchange, price, at })
    if (effects.length > 0) this.perform(effects)
    this.#isCheckpointDue = true
  }

  /** Applies a request, and resolves when the broker has answered for every order it placed. */
  request(inputOf: (request: string, at: number) => RunInput): Promise<RunReply> {
    const id = String(++this.#requests)
    return new Promise((resolve) => {
      this.#replies.set(id, resolve)
      this.apply(inputOf(id, this.#parts.clock.now()))
    })
  }

  /** Takes the durable state of one of its orders. */
  order(state: StrategyOrderState): void {
    const change = changeOfState(state)
    this.apply(inputOf(change, this.#parts.clock.now()), [change])
  }

  /** Stores and executes effects of the engine, after all earlier ones. */
  perform(effects: readonly RunEffect[], changes: readonly OrderRowChange[] = []): void {
    for (const effect of effects) if (effect.type === 'place') this.#unanswered.add(effect.order.id)
    for (const effect of effects) this.#follow(effect)
    this.#tail = this.#tail.then(() => this.#perform({ effects, changes }))
  }

  /** Resolves when every input until now is stored and its orders are answered. */
  async settled(): Promise<void> {
    for (;;) {
      const tail = this.#tail
      await tail
      await Promise.all(this.#dispatching)
      if (tail === this.#tail && this.#dispatching.size === 0) return
    }
  }

  /** Stores again what the disk refused, and lets the engine retry. Called every five seconds. */
  async sweep(): Promise<void> {
    await this.#rewrite()
    if (!this.#hasEnded) this.apply({ type: 'retry', at: this.#parts.clock.now() })
  }

  /** Returns a checkpoint if the run has changed since the last one. */
  takeCheckpoint() {
    if (!this.#isCheckpointDue || this.#hasEnded) return undefined
    this.#isCheckpointDue = false
    return { definition: this.definition, checkpoint: this.#run.checkpoint(this.#parts.clock.now()) }
  }

  /** Effects that need no disk. */
  #follow(effect: RunEffect): void {
    if (effect.type === 'watch') this.#parts.feed.watch(this, effect)
    else if (effect.type === 'unwatch') this.#parts.feed.unwatch(this, effect)
    else if (effect.type === 'checkpoint') this.#isCheckpointDue = true
  }

  async #perform({ effects, changes }: Batch): Promise<void> {
    const write = this.#writeOf(effects, changes)
    if (write.end) crashPoint('strategies.end.beforeCommit')
    const stored = await this.#store(write)
    if (write.orders.some(isEntry)) crashPoint('strategies.entries.afterCommit')
    else if (write.orders.length > 0) crashPoint('strategies.exits.afterCommit')
    const orders = stored ? write.orders : this.#unstored(write.orders)
    const cancels = effects.flatMap((effect) => (effect.type === 'cancel' ? [effect.orderId] : []))
    this.#dispatch(orders, cancels)
    for (const effect of effects) if (effect.type === 'reply') this.#reply(effect.request, effect.reply)
  }

  #writeOf(effects: readonly RunEffect[], changes: readonly OrderRowChange[]): RunWrite {
    const { strategyId, runId, userId } = this
    const at = this.#parts.clock.now()
    const orders: RunOrder[] = []
    const events: NewRunEvent[] = []
    let stop: RunWrite['stop'] = null
    let end: RunEnd | null = null
    for (const effect of effects) {
      if (effect.type === 'place') orders.push(effect.order)
      else if (effect.type === 'event') events.push({ strategyId, runId, userId, ts: at, ...effect.event })
      else if (effect.type === 'stop_requested') stop = { reason: effect.reason, at: effect.at }
      else if (effect.type === 'finished') end = effect
    }
    return { strategyId, runId, at, orders, changes, events, stop, end }
  }

  /** Stores a change, or keeps it for the next sweep. */
  async #store(write: RunWrite): Promise<boolean> {
    const { changes, end, events, orders, stop } = write
    if (orders.length + changes.length + events.length === 0 && !stop && !end) return true
    try {
      // News about an order must not be stored before its row.
      await this.#rewrite()
      if (this.#unwritten.length > 0) throw new Error('an earlier change is not stored yet')
      await this.#parts.store.apply(write)
    } catch (error) {
      this.#parts.log.error('strategy_run.not_stored', { run: this.runId, error: messageOf(error) })
      // An entry without a row is never sent, so it needs none later.
      const exits = orders.filter((order) => !isEntry(order))
      this.#unwritten.push({ ...write, orders: exits, events: [...events, ...this.#unrecorded(changes)] })
      return false
    }
    this.#tell(write)
    return true
  }

  async #rewrite(): Promise<void> {
    for (let write = this.#unwritten[0]; write; write = this.#unwritten[0]) {
      try {
        await this.#parts.store.apply(write)
      } catch {
        return
      }
      this.#unwritten.shift()
      this.#tell(write)
    }
  }

  /** Publishes what is stored. */
  #tell({ changes, end, events, stop, orders }: RunWrite): void {
    const { publish } = this.#parts
    for (const event of events) publish.event(this.userId, event)
    for (const change of changes) publish.order(this.userId, this.strategyId, this.runId, change)
    if (end || stop || orders.length > 0) publish.run(this.userId, this.snapshot())
    if (end && !this.#hasEnded) {
      this.#hasEnded = true
      this.#parts.onFinished()
    }
  }

  /** The events for answers of the broker whose rows could not be written. The sweep writes exactly those rows. */
  #unrecorded(changes: readonly OrderRowChange[]): NewRunEvent[] {
    const { runId, strategyId, userId } = this
    return changes.map(({ orderRef, orderId, reason, status }) => ({
      ...{ strategyId, runId, userId, ts: this.#parts.clock.now(), legId: null },
      kind: 'order_ack_unrecorded' as const,
      severity: 'critical' as const,
      message: `The answer for order ${orderRef} could not be stored at once`,
      payload: {
        ...{ version: 1, order_id: orderRef, run_id: runId, broker_order_id: orderId },
        ...{ accepted: status !== 'rejected', status, reject_reason: reason },
      },
    }))
  }

  /** Refuses the entries whose rows could not be written. An exit is sent all the same. */
  #unstored(orders: readonly RunOrder[]): RunOrder[] {
    const at = this.#parts.clock.now()
    for (const { id } of orders.filter(isEntry)) {
      const reason = 'The order could not be stored, so it was not sent.'
      this.#unanswered.delete(id)
      this.apply({ type: 'ack', orderId: id, at, ack: { outcome: 'refused', reason, stored: false } })
    }
    return orders.filter((order) => !isEntry(order))
  }

  #dispatch(orders: readonly RunOrder[], cancels: readonly string[]): void {
    for (const ref of cancels) this.#track(this.#cancel(ref))
    if (orders.length === 0) return
    for (const order of orders) if (!isEntry(order)) this.#track(this.#place(order))
    this.#track(this.#enter(orders.filter(isEntry)))
  }

  /** Buys before it sells: the long legs lower the margin of the short ones. */
  async #enter(entries: readonly RunOrder[]): Promise<void> {
    for (const action of ['BUY', 'SELL'] as const) {
      await Promise.all(entries.filter((order) => order.action === action).map((order) => this.#place(order)))
    }
  }

  #track(work: Promise<void>): void {
    this.#dispatching.add(work)
    work
      .catch((error: unknown) => {
        this.#parts.log.error('strategy_run.order_failed', { run: this.runId, error: messageOf(error) })
      })
      .finally(() => this.#dispatching.delete(work))
  }

  async #place(order: RunOrder): Promise<void> {
    const { clock, orders } = this.#parts
    const { id } = order
    this.#own(id)
    if (this.#unwanted.delete(id)) {
      this.#answer(id, { outcome: 'refused', reason: 'Cancelled before it was sent' }, [
        {
          ...{ orderRef: id, status: 'rejected', filledQuantity: 0, averagePrice: null, orderId: null },
          reason: 'Cancelled before it was sent',
        },
      ])
      return
    }
    const end = await orders.place(this.#orderOf(order))
    if (isEntry(order)) crashPoint('strategies.entry.beforeRecord')
    else crashPoint('strategies.exit.beforeRecord')
    // A market order may have filled by now. The answer to a request then tells it.
    const [state] = end.outcome === 'placed' ? await orders.statesOf([id]).catch(() => []) : []
    if (state && state.filledQuantity > 0) this.order(state)
    this.#answer(id, ackOf(end), [changeOfEnd(end)], clock.now())
  }

  #answer(
    orderId: string,
    ack: ReturnType<typeof ackOf>,
    changes: readonly OrderRowChange[],
    at = this.#parts.clock.now(),
  ): void {
    this.#unanswered.delete(orderId)
    this.apply({ type: 'ack', orderId, at, ack }, changes)
  }

  #orderOf({ id, kind, symbol, exchange, action, quantity, product }: RunOrder): StrategyOrder {
    const { mode, strategyName } = this.definition
    return {
      ...{ orderRef: id, userId: this.userId, strategy: strategyName, symbol, exchange, action, quantity },
      mode: mode === 'live' ? 'live' : 'analyze',
      broker: this.#parts.broker,
      role: kind === 'entry' ? 'entry' : 'exit',
      product: productOf(product),
    }
  }

  async #cancel(orderRef: string): Promise<void> {
    if (this.#unanswered.has(orderRef) && !this.#refs.has(orderRef)) {
      this.#unwanted.add(orderRef)
      return
    }
    const outcome = await this.#parts.orders.cancel(orderRef, this.userId)
    if (!outcome.ok) {
      this.#parts.log.warn('strategy_run.not_cancelled', { order_ref: orderRef, reason: outcome.message })
    }
  }

  #own(orderRef: string): void {
    this.#refs.add(orderRef)
    this.#parts.onOrder(orderRef)
  }

  #reply(request: string, reply: RunReply): void {
    this.#replies.get(request)?.(reply)
    this.#replies.delete(request)
  }
}

function isEntry({ kind }: RunOrder): boolean {
  return kind === 'entry'
}

function productOf(text: string): Product {
  const product = PRODUCTS.find((one) => one === text)
  if (product === undefined) throw new Error(`an order has the product ${text}`)
  return product
}

function inputOf(change: OrderRowChange, at: number): RunInput {
  const { averagePrice, filledQuantity, orderId, orderRef, reason, status } = change
  const facts = { filledQuantity, averagePrice, brokerOrderId: orderId, reason }
  return { type: 'order', orderId: orderRef, status, ...facts, at }
}
