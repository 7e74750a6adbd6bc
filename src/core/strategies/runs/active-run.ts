import { crashPoint, messageOf } from '../../errors/index.js'
import type { RunAccount, StrategyOrder, StrategyOrderState } from '../../orders/index.js'
import { PRODUCTS, type Product } from '../../orders/schema.js'
import { type RowsFirst, storedWith } from '../../storage/index.js'
import type {
  AckOutcome,
  Claim,
  Contract,
  Run,
  RunDefinition,
  RunEffect,
  RunInput,
  RunOrder,
  RunReply,
  RunSnapshot,
} from '../engine/types.js'
import { ackOf, changeOfEnd, OrderNews, unrecordedEvents, updateOf } from './order-news.js'
import type { RunPorts } from './ports.js'
import type { SavedCheckpoint } from './store/checkpoint-store.js'
import type { NewRunEvent, OrderRowChange, RunEnd, RunWrite, StoredClosure } from './store/run-rows.js'
import type { RunStore } from './store/run-store.js'

/** Exits that sell wait for the answers to those that buy, but not longer. */
const LONGEST_HEDGE_WAIT_MS = 1_500
/** Exits wait for a comparison of their account, but not longer. */
const LONGEST_LOOK_MS = 1_000

/** The feed as a run uses it. */
export interface RunFeed {
  watch(run: ActiveRun, contract: Contract): void
  unwatch(run: ActiveRun, contract: Contract): void
}

interface ActiveRunParts
  extends Pick<RunPorts, 'calendar' | 'clock' | 'compareSoon' | 'log' | 'orders' | 'publish'> {
  store: RunStore
  feed: RunFeed
  userId: string
  /** The broker at which the run began, or the sandbox. */
  broker: string
  /** Resolves when the service has restored its runs. Exits wait for it: an account holds the positions of all of them. */
  restored: Promise<void>
  /** Called with the reference of each order before it is placed. */
  onOrder(orderRef: string): void
  /**
   * Returns the end of a comparison of the account that exits should know before they leave; undefined if there is none.
   * Never rejects.
   */
  beforeExit(exits: readonly RunOrder[]): Promise<void> | undefined
  /** Called when the end of the run is durable. */
  onFinished(): void
  /** True for a run that was over before the service started: it only squares off fills that come late. */
  hasEnded?: boolean
}

/** The effects of one input, with the news about orders that the input brought. */
interface Batch {
  effects: readonly RunEffect[]
  changes: readonly OrderRowChange[]
  /** Rows of the caller that are stored with them. */
  first: RowsFirst | undefined
}

/** A change that the disk refused, with the events about it that are published already. */
interface Unwritten {
  write: RunWrite
  told: readonly NewRunEvent[]
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
  /** The legs of the orders that it placed or was restored with. */
  readonly #legs = new Map<string, number>()
  readonly #news = new OrderNews()
  readonly #dispatching = new Set<Promise<unknown>>()
  /** Changes that the disk refused, oldest first. */
  readonly #unwritten: Unwritten[] = []
  #tail: Promise<void> = Promise.resolve()
  #requests = 0
  #hasChanged = true
  #hasEnded: boolean

  constructor(run: Run, parts: ActiveRunParts) {
    this.#run = run
    this.#parts = parts
    this.#hasEnded = parts.hasEnded ?? false
    this.ended = new Promise((resolve) => {
      this.#tellEnded = resolve
    })
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

  /** Resolves once the end of the run is durable. */
  readonly ended: Promise<void>
  #tellEnded: () => void = () => undefined
  /** The broker at which the run began, or the sandbox. */
  get broker(): string {
    return this.#parts.broker
  }

  get ordersInDoubt(): readonly string[] {
    return this.#run.ordersInDoubt
  }

  get state(): RunSnapshot['state'] {
    return this.#run.state
  }

  /** True once the end of the run is durable. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** The references of the orders that it placed or was restored with. */
  get orderRefs(): Iterable<string> {
    return this.#legs.keys()
  }

  /** True if it holds something or an order of it works. */
  get isOpen(): boolean {
    return this.#run.exits().length > 0
  }

  /** The account that holds its positions. */
  get account(): RunAccount {
    const { broker } = this.#parts
    const { accountId, mode } = this.definition
    return mode === 'live' ? { mode, broker, accountId } : { mode: 'analyze', userId: this.userId }
  }

  /** The positions that it counts on. */
  get claims(): readonly Claim[] {
    return this.#run.claims.map((claim) => this.#placed(claim))
  }

  /** The positions of which it knows no held unit while an order of them works. */
  get opening(): readonly Claim[] {
    return this.#run.opening.map((claim) => this.#placed(claim))
  }

  /** Returns a position that its exits have closed. */
  closed(positionRef: string): Claim | undefined {
    const claim = this.#run.closed(positionRef)
    return claim && this.#placed(claim)
  }

  /** Leaves out the orders that wait to be placed: their account cannot know them. */
  #placed(claim: Claim): Claim {
    return { ...claim, orders: claim.orders.filter(({ id }) => this.#legs.has(id)) }
  }

  get symbols(): readonly Contract[] {
    return this.#run.symbols
  }

  snapshot(): RunSnapshot {
    return this.#run.snapshot()
  }

  /** Takes orders that an earlier process placed. */
  adopt(orders: readonly Pick<RunOrder, 'id' | 'legId'>[]): void {
    for (const order of orders) this.#own(order)
    this.#parts.orders.changes.watch(orders.map(({ id }) => id))
  }

  /** Gives the engine an input. Returns at once: the effects follow in their turn. */
  apply(input: RunInput, changes: readonly OrderRowChange[] = []): void {
    this.#applyAll([input], changes)
  }

  /** Ends the run without its positions and orders, because their account is gone. */
  lose(why: string): void {
    const ended = { status: 'cancelled', filledQuantity: 0, averagePrice: null, orderId: null } as const
    const changes = this.#run.workingOrders.map((orderRef) => ({ ...ended, orderRef, reason: why }))
    this.apply({ type: 'lost', why, at: this.#parts.clock.now() }, changes)
  }

  /** Gives the engine inputs whose effects are stored together. */
  #applyAll(inputs: readonly RunInput[], changes: readonly OrderRowChange[], first?: RowsFirst): void {
    const effects = inputs.flatMap((input) => this.#run.apply(input))
    if (effects.length > 0 || changes.length > 0 || first) this.perform(effects, changes, first)
  }

  /**
   * Gives the engine a tick. Most ticks have no effect.
   * @param isOld true if the contract was last traded before its exchange opened
   */
  tick(contract: Contract, price: number, at: number, isOld = false): void {
    const { symbol, exchange } = contract
    const effects = this.#run.apply({ type: 'tick', symbol, exchange, price, at, isOld })
    if (effects.length > 0) this.perform(effects)
    this.#hasChanged = true
  }

  /**
   * Applies a request, and resolves when the broker has answered for every order it placed.
   * @param first rows that are stored with what the request changes, before its entries leave
   */
  request(inputOf: (request: string, at: number) => RunInput, first?: RowsFirst): Promise<RunReply> {
    const id = String(++this.#requests)
    return new Promise((resolve) => {
      this.#replies.set(id, resolve)
      this.#applyAll([inputOf(id, this.#parts.clock.now())], [], first)
    })
  }

  /** Takes the durable state of one of its orders. */
  order(state: StrategyOrderState): void {
    this.apply(updateOf(state, this.#parts.clock.now()), this.#news.changesOf(state))
  }

  /** Stores and executes effects of the engine, after all earlier ones. */
  perform(effects: readonly RunEffect[], changes: readonly OrderRowChange[] = [], first?: RowsFirst): void {
    for (const effect of effects) if (effect.type === 'place') this.#unanswered.add(effect.order.id)
    this.#inTurn(() => this.#perform({ effects, changes, first }))
    for (const effect of effects) this.#follow(effect)
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

  /**
   * Stores again what the disk refused, and lets the engine retry. Called every five seconds. A run that is over retries
   * while it squares off a late fill.
   */
  async sweep(): Promise<void> {
    await this.#inTurn(() => this.#rewrite())
    if (this.#hasEnded && !this.isOpen) return
    this.retry()
    if (this.definition.mode === 'live' && this.#run.isWaitingForBroker) this.#parts.compareSoon()
  }

  /** Lets the engine retry, with the exchanges that are closed now. */
  retry(): void {
    const { calendar, clock } = this.#parts
    this.apply({ type: 'retry', at: clock.now(), closed: closedOf(this.definition, calendar) })
  }

  /** Retries refused exits, because a session of a broker began. */
  noteBroker(brokerId: string): void {
    if (this.#parts.broker === brokerId) this.apply({ type: 'broker_back', at: this.#parts.clock.now() })
  }

  /** True if the run has changed since its last checkpoint. */
  get isCheckpointDue(): boolean {
    return this.#hasChanged && !this.#hasEnded
  }

  takeCheckpoint(): SavedCheckpoint {
    this.#hasChanged = false
    return this.#checkpoint(this.#parts.clock.now())
  }

  /** Makes a checkpoint due. */
  noteChange(): void {
    this.#hasChanged = true
  }

  #checkpoint(at: number): SavedCheckpoint {
    return { definition: this.definition, checkpoint: this.#run.checkpoint(at) }
  }

  /** Runs work on the rows of the run after all earlier work. A failure does not stop the work after it. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#tail = this.#tail.then(work).catch((error: unknown) => {
      this.#parts.log.error('strategy_run.failed', { run: this.runId, error: messageOf(error) })
    })
    return this.#tail
  }

  /** Effects that need no disk. */
  #follow(effect: RunEffect): void {
    if (effect.type === 'watch') this.#parts.feed.watch(this, effect)
    else if (effect.type === 'unwatch') this.#parts.feed.unwatch(this, effect)
  }

  async #perform({ effects, changes, first }: Batch): Promise<void> {
    const write = this.#writeOf(effects, changes)
    if (write.end) crashPoint('strategies.end.beforeCommit')
    const stored = await this.#store(write, first)
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
    const closures: StoredClosure[] = []
    const events: NewRunEvent[] = []
    let stop: RunWrite['stop'] = null
    let end: RunEnd | null = null
    let reopenedAt: number | null = null
    let checkpoint: RunWrite['checkpoint'] = null
    for (const effect of effects) {
      if (effect.type === 'place') orders.push(effect.order)
      else if (effect.type === 'event') events.push({ strategyId, runId, userId, ts: at, ...effect.event })
      else if (effect.type === 'closed_elsewhere')
        closures.push({ orderRef: effect.orderId, quantity: effect.quantity })
      else if (effect.type === 'stop_requested') stop = { reason: effect.reason, at: effect.at }
      else if (effect.type === 'finished') end = effect
      else if (effect.type === 'reopened') reopenedAt = effect.at
      else if (effect.type === 'checkpoint') checkpoint = this.#checkpoint(at)
    }
    return { strategyId, runId, at, orders, changes, closures, events, stop, end, reopenedAt, checkpoint }
  }

  /** Stores a change, or keeps it for the next sweep. */
  async #store(write: RunWrite, first: RowsFirst | undefined): Promise<boolean> {
    const { changes, checkpoint, end, events, orders, stop } = write
    if (orders.length + changes.length + events.length === 0 && !stop && !end && !checkpoint) {
      // Who gave the rows sees the failure.
      await first?.store().catch(() => undefined)
      return true
    }
    try {
      // News about an order must not be stored before its row.
      await this.#rewrite()
      if (this.#unwritten.length > 0) throw new Error('an earlier change is not stored yet')
      await storedWith(first, (rows) => this.#parts.store.apply(write, rows))
    } catch (error) {
      this.#parts.log.error('strategy_run.not_stored', { run: this.runId, error: messageOf(error) })
      // An entry without a row is never sent, so it needs none later.
      const exits = orders.filter((order) => !isEntry(order))
      const unrecorded = unrecordedEvents(write, this.userId, this.#legs)
      this.#unwritten.push({ write: { ...write, orders: exits }, told: unrecorded })
      this.#tellNow(unrecorded)
      return false
    }
    this.#tell(write)
    return true
  }

  /** Stores what the disk refused earlier. It runs only in turn: two at the same time would store a change twice. */
  async #rewrite(): Promise<void> {
    for (let first = this.#unwritten[0]; first; first = this.#unwritten[0]) {
      const { told, write } = first
      try {
        await this.#parts.store.apply({ ...write, events: [...write.events, ...told] })
      } catch {
        return
      }
      this.#unwritten.shift()
      this.#tell(write)
    }
  }

  /** Publishes events that the disk cannot store now: nobody should learn of its fault only after it. */
  #tellNow(events: readonly NewRunEvent[]): void {
    const { log, publish } = this.#parts
    try {
      for (const event of events) publish.event(this.userId, event)
    } catch (error) {
      log.error('strategy_run.not_published', { run: this.runId, error: messageOf(error) })
    }
  }

  /** Publishes what is stored. A failure must not keep the stored orders from being sent. */
  #tell(write: RunWrite): void {
    const { log, onFinished } = this.#parts
    try {
      this.#publish(write)
    } catch (error) {
      log.error('strategy_run.not_published', { run: this.runId, error: messageOf(error) })
    }
    if (write.end && !this.#hasEnded) {
      this.#hasEnded = true
      onFinished()
      this.#tellEnded()
    }
  }

  #publish({ changes, end, events, stop, orders }: RunWrite): void {
    const { publish } = this.#parts
    for (const event of events) publish.event(this.userId, event)
    for (const change of changes) publish.order(this.userId, this.strategyId, this.runId, change)
    if (end || stop || orders.length > 0) publish.run(this.userId, this.snapshot())
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
    this.#track(this.#leave(orders.filter((order) => !isEntry(order))))
    this.#track(this.#enter(orders.filter(isEntry)))
  }

  /**
   * Buys before it sells: a hedge that is sold before its short is bought back leaves the short without its margin. A stop
   * waits for a slow or refused purchase only shortly, and never sells less because of it.
   */
  async #leave(exits: readonly RunOrder[]): Promise<void> {
    await this.#parts.restored
    await this.#look(exits)
    const { buys, sells } = bySide(exits)
    const bought = buys.map((order) => this.#track(this.#place(order)))
    if (buys.length > 0 && sells.length > 0) await this.#atMost(LONGEST_HEDGE_WAIT_MS, Promise.all(bought))
    for (const order of sells) this.#track(this.#place(order))
  }

  /** Somebody else may have closed a position just now. The engine then takes its exit back before it leaves. */
  async #look(exits: readonly RunOrder[]): Promise<void> {
    const compared = exits.length === 0 ? undefined : this.#parts.beforeExit(exits)
    if (compared)
      await this.#atMost(
        LONGEST_LOOK_MS,
        compared.then(() => this.#tail),
      )
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
   * start was not accepted, because the sale would stand there without its hedge.
   */
  async #enter(entries: readonly RunOrder[]): Promise<void> {
    const { buys, sells } = bySide(entries)
    const answers = await Promise.all(buys.map((order) => this.#place(order)))
    if (answers.every((outcome) => outcome === 'accepted' || outcome === 'queued')) {
      await Promise.all(sells.map((order) => this.#place(order)))
    } else {
      for (const order of sells)
        this.#leaveOut(order, 'Not sent: an order to buy of the same start was not accepted')
    }
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
    this.#dispatching.add(work)
    return work
      .catch((error: unknown) => {
        this.#parts.log.error('strategy_run.order_failed', { run: this.runId, error: messageOf(error) })
      })
      .finally(() => this.#dispatching.delete(work))
  }

  /** Places an order, and returns what became of it. */
  async #place(order: RunOrder): Promise<AckOutcome['outcome']> {
    const { clock, orders } = this.#parts
    const { id } = order
    if (this.#unwanted.has(id)) {
      this.#leaveOut(order, 'Cancelled before it was sent')
      return 'refused'
    }
    this.#own(order)
    const end = await orders.place(this.#orderOf(order))
    if (isEntry(order)) crashPoint('strategies.entry.beforeRecord')
    else crashPoint('strategies.exit.beforeRecord')
    // A market order may have filled by now. The answer to a request then shows it.
    const [state] = end.outcome === 'placed' ? await orders.statesOf([id]).catch(() => []) : []
    const ack = ackOf(end)
    if (state && state.filledQuantity > 0) {
      this.#answer(id, ack, this.#news.changesOf(state), [updateOf(state, clock.now())])
    } else {
      this.#answer(id, ack, [changeOfEnd(end)])
    }
    return ack.outcome
  }

  /** @param news what the engine learns just before the answer, stored together with it */
  #answer(
    orderId: string,
    ack: AckOutcome,
    changes: readonly OrderRowChange[],
    news: readonly RunInput[] = [],
  ): void {
    this.#unanswered.delete(orderId)
    const at = this.#parts.clock.now()
    this.#applyAll([...news, { type: 'ack', orderId, at, ack }], changes)
  }

  #orderOf({ id, kind, symbol, exchange, action, quantity, product }: RunOrder): StrategyOrder {
    const { accountId, mode, strategyName } = this.definition
    return {
      accountId,
      ...{ orderRef: id, userId: this.userId, strategy: strategyName, symbol, exchange, action, quantity },
      mode: mode === 'live' ? 'live' : 'analyze',
      broker: this.#parts.broker,
      role: kind === 'entry' ? 'entry' : 'exit',
      product: productOf(product),
    }
  }

  async #cancel(orderRef: string): Promise<void> {
    if (this.#unanswered.has(orderRef) && !this.#legs.has(orderRef)) {
      this.#unwanted.add(orderRef)
      return
    }
    const outcome = await this.#parts.orders.cancel(orderRef, this.userId)
    if (!outcome.ok) {
      this.#parts.log.warn('strategy_run.not_cancelled', { order_ref: orderRef, reason: outcome.message })
    }
  }

  #own({ id, legId }: Pick<RunOrder, 'id' | 'legId'>): void {
    this.#legs.set(id, legId)
    this.#parts.onOrder(id)
  }

  #reply(request: string, reply: RunReply): void {
    this.#replies.get(request)?.(reply)
    this.#replies.delete(request)
  }
}

/** Returns the exchanges of a run that are closed now. */
export function closedOf(
  { legs }: Pick<RunDefinition, 'legs'>,
  calendar: RunPorts['calendar'],
): ReadonlySet<string> {
  return new Set(legs.flatMap(({ exchange }) => (calendar.isOpen(exchange) ? [] : [exchange])))
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
