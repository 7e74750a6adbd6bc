import { crashPoint, messageOf } from '../../errors/index.js'
import type { RunAccount, StrategyOrderState } from '../../orders/index.js'
import type { RowsFirst } from '../../storage/index.js'
import type { Contract, RunDefinition } from '../engine/definition.js'
import type { RunEffect, RunInput, RunOrder, RunReply } from '../engine/messages.js'
import { eventOf, heldText, unprotectedText } from '../engine/texts.js'
import type { Claim, Hedge, Run, RunSnapshot } from '../engine/types.js'
import { ChangeWriter } from './active-run/change-writer.js'
import { OrderSender, type OrderSenderParts } from './active-run/order-sender.js'
import { OrderNews, updateOf } from './order-news.js'
import type { RunPorts } from './ports.js'
import type { SavedCheckpoint } from './store/checkpoint-store.js'
import type { OrderRowChange } from './store/run-rows.js'
import type { RunStore } from './store/run-store.js'

/** The feed as a run uses it. */
export interface RunFeed {
  watch(run: ActiveRun, contract: Contract): void
  unwatch(run: ActiveRun, contract: Contract): void
}

interface ActiveRunParts
  extends Pick<RunPorts, 'calendar' | 'clock' | 'compareSoon' | 'log' | 'orders' | 'publish'>,
    Pick<OrderSenderParts, 'beforeExit' | 'broker' | 'onOrder' | 'restored' | 'userId'> {
  store: RunStore
  feed: RunFeed
  /** Called when the end of the run is durable. */
  onFinished(): void
  /** True for a run that was over before the service started: it only squares off fills that come late. */
  hasEnded?: boolean
}

/** A sale waits this long until the purchases of the same start have filled or ended. */
const LONGEST_HEDGE_WAIT_MS = 1_500

/** The effects of one input, with the news about orders that the input brought. */
interface Batch {
  effects: readonly RunEffect[]
  changes: readonly OrderRowChange[]
  /** Rows of the caller that are stored with them. */
  first: RowsFirst | undefined
}

/**
 * One run with its engine, its rows and its orders. An input changes the engine at once. Everything that the input
 * asks for is then done in the order of the inputs: first one transaction ({@link ChangeWriter}), then the orders
 * ({@link OrderSender}). The answers of brokers are inputs again, so a slow broker holds no other order of the run.
 */
export class ActiveRun {
  readonly #parts: ActiveRunParts
  readonly #run: Run
  readonly #replies = new Map<string, (reply: RunReply) => void>()
  readonly #news = new OrderNews()
  readonly #sender: OrderSender
  readonly #writer: ChangeWriter
  #tail: Promise<void> = Promise.resolve()
  /** Called after each input. */
  readonly #waiting = new Set<() => void>()
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
    this.#sender = new OrderSender({
      ...parts,
      definition: run.definition,
      news: this.#news,
      stored: () => this.#tail,
      hedgeOf: (orderRef) => this.settledHedgeOf(orderRef),
      apply: (inputs, changes) => this.#applyAll(inputs, changes),
    })
    this.#writer = new ChangeWriter({
      ...parts,
      run,
      legs: this.#sender.legs,
      onEnd: () => this.#onEnd(),
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
    return this.#sender.legs.keys()
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
    return { ...claim, orders: claim.orders.filter(({ id }) => this.#sender.legs.has(id)) }
  }

  get symbols(): readonly Contract[] {
    return this.#run.symbols
  }

  snapshot(): RunSnapshot {
    return this.#run.snapshot()
  }

  /** Takes orders that an earlier process placed. */
  adopt(orders: readonly Pick<RunOrder, 'id' | 'legId'>[]): void {
    this.#sender.adopt(orders)
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
    const elapsed = this.#parts.clock.monotonic()
    const effects = inputs.flatMap((input) => this.#run.apply(input, elapsed))
    if (effects.length > 0 || changes.length > 0 || first) this.perform(effects, changes, first)
    for (const look of this.#waiting) look()
  }

  /** Returns how the purchases of the start stand, for a sale of the same start. */
  hedgeOf(orderRef: string): Hedge | undefined {
    return this.#run.hedgeOf(orderRef)
  }

  /** Like {@link hedgeOf}, once the broker has reported a fill or an end of each, but not later than in a moment. */
  settledHedgeOf(orderRef: string): Promise<Hedge | undefined> {
    const { clock } = this.#parts
    return new Promise((resolve) => {
      const end = () => {
        clock.clear(limit)
        this.#waiting.delete(look)
        resolve(this.hedgeOf(orderRef))
      }
      const look = () => {
        if (this.hedgeOf(orderRef) !== 'open') end()
      }
      const limit = clock.setTimeout(end, LONGEST_HEDGE_WAIT_MS)
      this.#waiting.add(look)
      look()
    })
  }

  /**
   * Gives the engine a tick. Most ticks have no effect.
   * @param isOld true if the contract was last traded before its exchange opened
   */
  tick(contract: Contract, price: number, at: number, isOld = false): void {
    const { symbol, exchange } = contract
    const tick = { type: 'tick', symbol, exchange, price, at, isOld } as const
    const effects = this.#run.apply(tick, this.#parts.clock.monotonic())
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
    for (const effect of effects) if (effect.type === 'place') this.#sender.noteRequested(effect.order)
    this.#inTurn(() => this.#perform({ effects, changes, first }))
    for (const effect of effects) this.#follow(effect)
  }

  /** Resolves when every input until now is stored and its orders are answered. */
  async settled(): Promise<void> {
    for (;;) {
      const tail = this.#tail
      await tail
      await this.#sender.settled()
      if (tail === this.#tail && this.#sender.isIdle) return
    }
  }

  /**
   * Stores again what the disk refused, and lets the engine retry. Called every five seconds. A run that is over retries
   * while it squares off a late fill.
   */
  async sweep(): Promise<void> {
    await this.#inTurn(() => this.#writer.storeUnwritten())
    if (this.#hasEnded && !this.isOpen) return
    this.retry()
    if (this.definition.mode === 'live' && this.#run.isWaitingForBroker) this.#parts.compareSoon()
  }

  /** Lets the engine retry, with the exchanges that are closed now. */
  retry(): void {
    const { broker, calendar, clock } = this.#parts
    this.apply({ type: 'retry', at: clock.now(), closed: closedOf(this.definition, calendar, broker) })
  }

  /** Retries refused exits, because a session of a broker began. */
  noteBroker(brokerId: string): void {
    if (this.#parts.broker === brokerId) this.apply({ type: 'broker_back', at: this.#parts.clock.now() })
  }

  /**
   * Tells that the session of its broker has ended: nothing protects its positions until the next one begins.
   * @param nextStep the command that begins it
   * @returns these positions in words; undefined if there are none
   */
  noteSessionEnd(brokerId: string, nextStep: string): string | undefined {
    const held = this.#heldAt(brokerId)
    if (held.length === 0) return undefined
    const payload = {
      broker: brokerId,
      positions: held.map(({ exchange, product, quantity, symbol }) => ({
        symbol,
        exchange,
        product,
        quantity,
      })),
    }
    const event = eventOf('tick_source_stale', unprotectedText(brokerId, held, nextStep), { payload })
    this.perform([{ type: 'event', event }])
    return this.heldText(brokerId)
  }

  /** Returns the live positions at a broker in words; undefined if there are none. */
  heldText(brokerId: string): string | undefined {
    const held = this.#heldAt(brokerId)
    return held.length === 0 ? undefined : `${this.definition.strategyName}: ${heldText(held)}`
  }

  #heldAt(brokerId: string): Claim[] {
    if (this.definition.mode !== 'live' || this.#parts.broker !== brokerId) return []
    return this.claims.filter(({ quantity }) => quantity !== 0)
  }

  /** True if the run has changed since its last checkpoint. */
  get isCheckpointDue(): boolean {
    return this.#hasChanged && !this.#hasEnded
  }

  takeCheckpoint(): SavedCheckpoint {
    this.#hasChanged = false
    return { definition: this.definition, checkpoint: this.#run.checkpoint(this.#parts.clock.now()) }
  }

  /** Makes a checkpoint due. */
  noteChange(): void {
    this.#hasChanged = true
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
    const write = this.#writer.writeOf(effects, changes)
    if (write.end) crashPoint('strategies.end.beforeCommit')
    const stored = await this.#writer.store(write, first)
    if (write.orders.some(({ kind }) => kind === 'entry')) crashPoint('strategies.entries.afterCommit')
    else if (write.orders.length > 0) crashPoint('strategies.exits.afterCommit')
    const orders = stored ? write.orders : this.#sender.refuseEntries(write.orders)
    const cancels = effects.flatMap((effect) => (effect.type === 'cancel' ? [effect.orderId] : []))
    this.#sender.send(orders, cancels)
    for (const effect of effects) if (effect.type === 'reply') this.#reply(effect.request, effect.reply)
  }

  /** A run that a late fill opened again has ended before. */
  #onEnd(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#parts.onFinished()
    this.#tellEnded()
  }

  #reply(request: string, reply: RunReply): void {
    this.#replies.get(request)?.(reply)
    this.#replies.delete(request)
  }
}

/** Returns the exchanges of a run that are closed now, at its own broker, also while another one is active. */
export function closedOf(
  { legs, mode }: Pick<RunDefinition, 'legs' | 'mode'>,
  calendar: RunPorts['calendar'],
  broker: string,
): ReadonlySet<string> {
  const at = mode === 'live' ? broker : undefined
  const isOpen = (exchange: string) => calendar.isOpen(exchange, undefined, at)
  return new Set(legs.flatMap(({ exchange }) => (isOpen(exchange) ? [] : [exchange])))
}
