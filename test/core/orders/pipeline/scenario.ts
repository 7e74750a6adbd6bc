import type { OrderResult, PlaceContext } from '../../../../src/core/orders/index.js'
import { toOrderRequest } from '../../../../src/core/orders/schema.js'
import { RowsFirst } from '../../../../src/core/storage/index.js'
import { BatchStatement } from '../../../../src/core/storage/statements/batch.js'
import { answerTo } from '../../../../src/daemon/orders/answer.js'
import type { Chance } from '../../../support/chance/chance.js'
import type { Fate } from './exchange.js'
import { databaseIn } from './life.js'
import { anyRequest, type KnownIds, oneShare, pick, type Request, single } from './requests.js'
import {
  FUTURE,
  idle,
  recoverOn,
  type Settings,
  SHARE,
  type Stage,
  startStage,
  USER,
  type World,
} from './stage.js'

const MINUTE_MS = 60_000
/** The clock of a request that waits moves by this much at a time. */
const STEP_MS = 50
/** No request waits so many steps. */
const MOST_STEPS = 4_000
const MARKS = new BatchStatement({ table: 'marks', columns: ['name'] })

/** A request that was sent under a key. */
export interface Keyed {
  request: Request
  key: string
  source: PlaceContext['source']
}

/** How a request ended. A crash leaves no answer. */
export interface Ended extends Partial<Keyed> {
  at: number
  answer: ReturnType<typeof answerTo> | undefined
  result: OrderResult | undefined
  error: unknown
}

/** One random course of the service over several lives. */
export class Scenario {
  /** Every request that was made, and how it ended. */
  readonly ended: Ended[] = []
  readonly #sent: Keyed[] = []
  readonly #world: World
  readonly #chance: Chance
  #stage: Stage
  #keys = 0

  private constructor(world: World, chance: Chance, stage: Stage) {
    this.#world = world
    this.#chance = chance
    this.#stage = stage
  }

  /** Sets the scene at random, and starts the first life. */
  static async open(world: World, chance: Chance): Promise<Scenario> {
    const { exchange, settings } = world
    settings.mode = pick(chance, ['live', 'live', 'analyze'])
    settings.orderMode = pick(chance, ['auto', 'auto', 'semi_auto'])
    settings.proposes = chance.between(1, 2) === 1
    world.record('settings', { ...settings })
    exchange.tagLookup = pick(chance, ['authoritative', 'authoritative', 'book'])
    if (chance.between(1, 3) === 1) exchange.hold(SHARE, 'MIS', pick(chance, [10, 25, -10]))
    if (chance.between(1, 4) === 1) exchange.hold(FUTURE, 'MIS', pick(chance, [75, 375, -375]))
    if (chance.between(1, 8) === 1) exchange.hold(SHARE, 'MTF', 5)
    const most = chance.between(1, 5) === 1 ? chance.between(1, 3) : null
    const stage = await startStage(world)
    const scenario = new Scenario(world, chance, stage)
    await recoverOn(stage, world)
    await stage.risk.change({ max_orders_per_day: most }, USER)
    return scenario
  }

  /** Acts at random, then looks at every key once more. */
  async run(): Promise<void> {
    const acts = this.#chance.between(1, 5)
    for (let act = 0; act < acts; act++) await this.#act()
    if (this.#chance.between(1, 5) === 1) await this.#stage.clock.advance(16 * MINUTE_MS)
    if (this.#chance.between(1, 6) === 1) await this.#switch()
    await this.#restart()
    for (const sent of this.#sent.slice()) await this.#send(sent)
    this.#stage.life.end()
    await idle()
  }

  async #act(): Promise<void> {
    const dice = this.#chance.between(1, 100)
    if (this.#stage.approvals.pending > 0 && dice % 3 === 0) return this.#decide()
    if (dice <= 38) return this.#request()
    if (dice <= 44) return this.#outage()
    if (dice <= 50) return this.#overtaken()
    if (dice <= 66) return this.#repeat()
    if (dice <= 72) return this.#decide()
    if (dice <= 78) return this.#strategyOrder()
    if (dice <= 84) return this.#switch()
    if (dice <= 89) return this.#market()
    if (dice <= 94) {
      const ms = pick(this.#chance, [1_000, MINUTE_MS, 14 * MINUTE_MS, 16 * MINUTE_MS, 25 * 60 * MINUTE_MS])
      await this.#stage.clock.advance(ms)
      return
    }
    return this.#restart()
  }

  async #request(): Promise<void> {
    const chance = this.#chance
    const request = anyRequest(chance, this.#ids())
    const source = pick(chance, ['api', 'api', 'api', 'api', 'flow', 'mcp'] as const)
    const dice = chance.between(1, 10)
    const used = this.#sent[chance.between(0, Math.max(0, this.#sent.length - 1))]
    const fates: Fate[] = ['accept', 'accept', 'accept', 'rest', 'refuse', 'never_sent', 'lose_request']
    fates.push('lose_answer', 'fault')
    this.#world.exchange.fates = Array.from({ length: chance.between(0, 3) }, () =>
      pick(chance, ['accept', ...fates]),
    )
    this.#arm()
    if (dice <= 3) return this.#send({ request, source })
    const fresh = this.#newKey()
    const key = dice === 4 && used ? used.key : fresh
    const sent = { request, source, key }
    this.#sent.push(sent)
    const { life } = this.#stage
    // Two callers with one key share one execution.
    if (dice === 5) await Promise.all([this.#send(sent), this.#send(sent)])
    else await this.#send(sent)
    if (life.isOver) await this.#repeatLater(sent)
  }

  /** New orders arrive while the broker takes none. They count nothing for the limit of the day. */
  async #outage(): Promise<void> {
    if (this.#world.settings.mode === 'analyze') return this.#request()
    const most = this.#chance.between(1, 3)
    await this.#driven(() => this.#stage.risk.change({ max_orders_per_day: most }, USER))
    this.#set({ isSignedIn: true, isReady: false })
    const before = await this.#verdict()
    for (let sent = 0; sent < most; sent++) {
      await this.#send({ request: single(this.#chance), source: 'api' })
    }
    this.#world.record('outage', { before, after: await this.#verdict() })
    this.#set({ isReady: true })
    await this.#send({ request: single(this.#chance), source: 'api' })
  }

  /** Returns what the gate says about one share more. */
  #verdict() {
    const order = toOrderRequest(oneShare())
    return this.#driven(() => this.#stage.risk.examine(USER, 'live', order))
  }

  /** Orders begin to wait for approval while one is on its way to the broker. */
  async #overtaken(): Promise<void> {
    if (this.#world.settings.mode === 'analyze') return this.#request()
    this.#set({ isSignedIn: true, isReady: true, orderMode: 'auto' })
    let turns = this.#chance.between(1, 2)
    this.#stage.onTurn = () => {
      turns -= 1
      if (turns === 0) this.#set({ orderMode: 'semi_auto' })
    }
    const request =
      this.#chance.between(1, 2) === 1 ? single(this.#chance) : anyRequest(this.#chance, this.#ids())
    const sent: Keyed = {
      request,
      source: pick(this.#chance, ['api', 'flow', 'mcp'] as const),
      key: this.#newKey(),
    }
    this.#sent.push(sent)
    await this.#send(sent)
    this.#stage.onTurn = () => undefined
  }

  #newKey(): string {
    this.#keys += 1
    return `k${this.#keys}`
  }

  /** Repeats what a crash has cut short: soon, late, or after the user has changed something. */
  async #repeatLater(sent: Keyed): Promise<void> {
    const dice = this.#chance.between(1, 8)
    if (dice === 1) return
    if (dice <= 3) await this.#switch()
    if (dice === 4) await this.#stage.clock.advance(14 * MINUTE_MS)
    if (dice === 5) await this.#stage.clock.advance(16 * MINUTE_MS)
    await this.#send(sent)
  }

  /** Arms what may happen while the next request runs: a crash, a stop, or a change of a setting at the broker. */
  #arm(): void {
    const chance = this.#chance
    const { life, stopping } = this.#stage
    const dice = chance.between(1, 20)
    if (dice <= 4 || dice >= 16) life.endAfter(chance.between(1, dice <= 4 ? 24 : 9))
    if (dice === 7) life.refuseAfter(chance.between(1, 6))
    let turns = chance.between(1, 3)
    const act = dice === 5 ? () => this.#switchNow() : dice === 6 ? () => stopping.abort() : () => undefined
    this.#stage.onTurn = () => {
      turns -= 1
      if (turns === 0) act()
    }
  }

  async #repeat(): Promise<void> {
    const { length } = this.#sent
    const sent = this.#sent[this.#chance.between(0, length - 1)]
    if (!sent) return this.#request()
    this.#arm()
    await this.#send(sent)
  }

  async #send({ key, request, source }: Omit<Keyed, 'key'> & { key?: string }): Promise<void> {
    const { life, clock, path } = this.#stage
    const chance = this.#chance
    const first = source === 'flow' && chance.between(1, 2) === 1 ? this.#marks(request.operation) : undefined
    const storesFirst = request.operation === 'placeorder'
    const deadline = chance.between(1, 12) === 1 ? clock.monotonic() + 60 : undefined
    const context: PlaceContext = {
      userId: USER,
      source,
      ...(source === 'api' && chance.between(1, 6) === 1 && { signedIn: true }),
      ...(key !== undefined && { idempotencyKey: key }),
      ...(first && storesFirst && { first }),
      ...(deadline !== undefined && { deadline }),
    }
    const at = clock.now()
    const { operation, body } = request
    const named = key === undefined ? { request, source } : { key, request, source }
    this.#world.record('request', { operation, body, key, source })
    const end = await this.#driven(async () => {
      if (!storesFirst) await first?.store()
      return request.send(path, context)
    })
    const answer = end.value && answerTo(end.value)
    this.ended.push({ ...named, at, answer, result: end.value, error: end.error })
    this.#world.record('answer', { ...end, answer })
    if (life.isOver) await this.#restart()
    else life.spare()
  }

  /** Rows of a workflow that must be durable before anything leaves. */
  #marks(name: string): RowsFirst {
    return new RowsFirst(databaseIn(this.#stage.life, this.#world.svc), () => [
      { statement: MARKS, rows: [[name]] },
    ])
  }

  /** Waits for a call, and moves the clock whenever nothing else can happen. */
  async #driven<T>(call: () => Promise<T>): Promise<{ value?: T; error?: unknown; crashed?: true }> {
    const { clock, life } = this.#stage
    let done = false
    const ended = Promise.race([
      Promise.resolve()
        .then(call)
        .then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        ),
      life.ended.then(() => ({ crashed: true }) as const),
    ]).finally(() => {
      done = true
    })
    for (let step = 0; step < MOST_STEPS; step++) {
      await idle()
      if (done) return ended
      await clock.advance(STEP_MS)
    }
    throw new Error('a request never ended')
  }

  async #decide(): Promise<void> {
    const { approvals } = this.#stage
    const rows = await this.#world.svc.queryRaw('select id from pending_orders order by id')
    const row = rows[this.#chance.between(0, Math.max(0, rows.length - 1))]
    this.#arm()
    const dice = this.#chance.between(1, 6)
    const id = Number(row?.id ?? 1)
    const end = await this.#driven<unknown>(() => {
      if (dice === 1) return approvals.approveAll(USER, USER)
      return dice === 2 ? approvals.reject(USER, id, USER, 'no') : approvals.approve(USER, id, USER)
    })
    this.#world.record('decision', { dice, id, ...end })
    if (this.#stage.life.isOver) await this.#restart()
    else this.#stage.life.spare()
  }

  async #strategyOrder(): Promise<void> {
    const chance = this.#chance
    const { strategyOrders } = this.#stage.path
    const { brokerId, mode: active } = this.#world.settings
    const mode = chance.between(1, 5) === 1 ? 'analyze' : active
    const orderRef = strategyOrders.newReference(mode)
    const broker = mode === 'live' ? pick(chance, [brokerId, brokerId, brokerId, 'other']) : 'sandbox'
    this.#arm()
    const order = {
      orderRef,
      userId: USER,
      strategy: 's',
      mode,
      broker,
      role: pick(chance, ['entry', 'exit'] as const),
      ...SHARE,
      action: pick(chance, ['BUY', 'SELL'] as const),
      quantity: pick(chance, [10, 10, 6_000_000]),
      product: 'MIS' as const,
    }
    const isCancelled = chance.between(1, 4) === 1
    const end = await this.#driven(() =>
      Promise.all([
        strategyOrders.place(order),
        isCancelled ? strategyOrders.cancel(orderRef, USER) : undefined,
      ]),
    )
    this.#world.record('strategy order', { role: order.role, ...end })
    if (this.#stage.life.isOver) await this.#restart()
    this.#stage.life.spare()
    const states = await this.#driven(() => this.#stage.path.strategyOrders.statesOf([orderRef]))
    this.#world.record('strategy state', states)
  }

  async #switch(): Promise<void> {
    const { mode } = this.#world.settings
    await this.#driven(async () => this.#switchNow())
    const { risk, sandbox } = this.#stage
    const dice = this.#chance.between(1, 4)
    if (dice === 1) await this.#driven(() => risk.setKillSwitch(!risk.killSwitch.on, 'test', USER))
    if (dice === 2) {
      const most = pick(this.#chance, [null, 1, 2])
      await this.#driven(() => risk.change({ max_orders_per_day: most }, USER))
    }
    const now = this.#world.settings.mode
    if (mode === now) return
    await this.#driven(() => (now === 'analyze' ? sandbox.start() : sandbox.stop()))
  }

  #switchNow(): void {
    const { accountId, brokerId, isReady, isSignedIn, mode, orderMode } = this.#world.settings
    const dice = this.#chance.between(1, 8)
    if (dice <= 2) this.#set({ mode: mode === 'live' ? 'analyze' : 'live' })
    else if (dice <= 4) this.#set({ orderMode: orderMode === 'auto' ? 'semi_auto' : 'auto' })
    else if (dice === 5) this.#set({ isSignedIn: !isSignedIn })
    else if (dice === 6) this.#set({ isReady: !isReady })
    else if (dice === 7) this.#set({ accountId: accountId === 'A' ? 'B' : 'A' })
    else this.#set({ brokerId: brokerId === 'paper' ? 'other' : 'paper' })
  }

  #set(change: Partial<Settings>): void {
    const { record, settings } = this.#world
    Object.assign(settings, change)
    record('settings', { ...settings })
  }

  /** Something happens at the exchange, or the service looks at its book. */
  async #market(): Promise<void> {
    const chance = this.#chance
    const { path, updates } = this.#stage
    const dice = chance.between(1, 4)
    if (dice === 1) {
      await this.#driven(() => path.reconciler.searchNow())
      return
    }
    const status = pick(chance, ['complete', 'cancelled', 'rejected'] as const)
    const update = this.#world.exchange.push(status, chance.between(0, 9))
    this.#world.record('update', { ...update })
    if (update) await this.#driven(() => updates.record('paper', update))
  }

  /** The process ends, and the next life recovers. */
  async #restart(): Promise<void> {
    const { clock, life, path } = this.#stage
    path.reconciler.stop()
    life.end()
    await idle()
    this.#world.now = clock.now()
    this.#world.record('start', { at: this.#world.now })
    this.#stage = await startStage(this.#world)
    await this.#driven(() => recoverOn(this.#stage, this.#world))
  }

  #ids(): KnownIds {
    const orders: string[] = []
    const triggers: string[] = []
    for (const { result } of this.ended) {
      if (result?.outcome !== 'placed') continue
      if (result.isGtt) triggers.push(result.orderId)
      else orders.push(result.orderId, ...(result.orderRef === undefined ? [] : [result.orderRef]))
    }
    return { orders, triggers }
  }
}
