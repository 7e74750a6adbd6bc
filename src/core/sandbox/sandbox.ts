import { publicMessageOf, type Veto } from '../errors/index.js'
import { toMoney } from '../money/index.js'
import {
  isOpenPosition,
  type OrderRequest,
  type PositionFilter,
  type PositionRef,
  quoteNeedsOf,
  type WaitingTerms,
} from '../orders/schema.js'
import { JobScheduler, type JobStatus } from './clock/job-scheduler.js'
import { draftOf, refusal, vetoed } from './engine/acceptance.js'
import type { Engine } from './engine/engine.js'
import type { Decision } from './engine/execution.js'
import { atNextOpening, expectedPosition, openPart, waitingAlike } from './engine/market-orders.js'
import { positionKey } from './engine/new-order.js'
import { OrderIds } from './engine/order-ids.js'
import { SandboxGttService } from './gtt/gtt-service.js'
import { undoStrandedClaims } from './gtt/gtts.js'
import { SQUARE_OFF_STRATEGY } from './own-strategies.js'
import { type NewOrder, Placing } from './placing.js'
import { Rehearsal } from './rehearsal.js'
import { Runtime, type SandboxOptions } from './runtime.js'
import type {
  CancelAllOutcome,
  ChangeOutcome,
  OpenPart,
  OrderChanges,
  PlaceOutcome,
  PositionClose,
  PreviewOutcome,
  SandboxOrder,
  SandboxPosition,
  SandboxRefusal,
} from './schema.js'
import { checkSetting, SETTINGS, type SettingView, settingKeys } from './settings.js'
import { SandboxHistory } from './storage/history-store.js'
import { SandboxStore } from './storage/store.js'
import { MarkedAccounts } from './views/marked-accounts.js'
import { Reports } from './views/reports.js'

/** The number of orders that one decision cancels, in about three milliseconds. */
const CANCEL_SLICE = 250

/**
 * The simulated account (Analyzer mode): orders, fills on ticks, positions, funds and books by the rules of
 * docs/sandbox.md. Every answer and event follows the commit of its change. Expected refusals are results; a
 * storage fault throws a ServiceError and leaves nothing executed.
 */
export class Sandbox {
  readonly books: MarkedAccounts
  readonly gtt: SandboxGttService
  readonly reports: Reports
  readonly history: SandboxHistory
  readonly #runtime: Runtime
  readonly #scheduler: JobScheduler
  readonly #options: SandboxOptions
  readonly #placing: Placing

  private constructor(options: SandboxOptions, runtime: Runtime, ids: OrderIds) {
    this.#options = options
    this.#runtime = runtime
    this.#placing = new Placing(runtime, ids, options.instruments)
    this.#scheduler = new JobScheduler(runtime, options.log)
    this.books = new MarkedAccounts(runtime, options.instruments)
    this.gtt = new SandboxGttService(runtime, ids)
    this.reports = new Reports(runtime, this.books)
    this.history = new SandboxHistory(options.db, () => runtime.concluded())
  }

  /** Reads and raises the floor of the order ids; the account itself loads on first use or {@link start}. */
  static async open(options: SandboxOptions): Promise<Sandbox> {
    const store = new SandboxStore(options.db)
    const ids = new OrderIds(options.clock, await store.highestOrderId())
    await store.raiseIdFloor(ids.last)
    return new Sandbox(options, new Runtime(options, store, () => ids.next()), ids)
  }

  /**
   * Turns Analyzer mode on: runs missed jobs, follows prices, matches waiting orders, and then runs jobs when
   * they fall due.
   */
  async start(): Promise<void> {
    await this.#scheduler.catchUp()
    await this.#runtime.decide((engine, decision) => undoStrandedClaims(engine, decision))
    await this.#runtime.start()
    this.#scheduler.start()
  }

  /**
   * Turns Analyzer mode off, or prepares for the end of the service: releases the prices; every decision is
   * durable when it resolves.
   */
  async stop(): Promise<void> {
    await this.#scheduler.stop()
    await this.#runtime.stop()
  }

  /** Forgets the prices of a market that is left: its simulated ticks may be newer than the last trade of a real one. */
  forgetTicks(): void {
    this.#runtime.forgetTicks()
  }

  /** Recalculates due moments, because configured times, holidays or the market's hours have changed. */
  reschedule(): void {
    this.#scheduler.reload()
  }

  /** Returns the scheduled jobs and their times. */
  async schedule(): Promise<{ running: boolean; jobs: JobStatus[] }> {
    return { running: this.#scheduler.running, jobs: await this.#scheduler.status() }
  }

  /**
   * Returns a new id for {@link place}, never returned before. Store it before you place the order: after a
   * crash, the id tells whether the order was placed.
   */
  newOrderId(): string {
    return this.#placing.newOrderId()
  }

  /** Returns the outcome of an order placed earlier, perhaps before a restart. */
  outcomeOf(userId: string, orderId: string): Promise<PlaceOutcome | undefined> {
    return this.#placing.outcomeOf(userId, orderId)
  }

  /**
   * Places an order. When the `orderId` is already known, it returns the outcome of that order and places
   * nothing. When a `veto` refuses, it places nothing either.
   */
  place(
    userId: string,
    order: OrderRequest,
    options: { orderId?: string; veto?: Veto } = {},
  ): Promise<PlaceOutcome> {
    const orderId = options.orderId ?? this.newOrderId()
    return this.#placing.placeOne(userId, { orderId, order }, options.veto)
  }

  /**
   * Places orders in one decision, in their order, each with its own outcome. The whole decision becomes
   * durable, or nothing of it.
   */
  placeAll(
    userId: string,
    orders: readonly NewOrder[],
    { veto }: { veto?: Veto } = {},
  ): Promise<PlaceOutcome[]> {
    return this.#placing.placeAll(userId, orders, veto)
  }

  /**
   * Returns the margin an order would block and the price it would get now, or its refusal. Places nothing.
   * @param options `isStored`: the order is sent on a later day, which has a price band of its own
   */
  async preview(
    userId: string,
    order: OrderRequest,
    options: { isStored?: boolean } = {},
  ): Promise<PreviewOutcome> {
    const draft = draftOf(order, this.#options.instruments)
    if ('message' in draft) return refusal(draft.message)
    const quote = await this.#runtime.quote(order, quoteNeedsOf(order))
    return this.#runtime.read((engine, decision) => engine.preview(userId, draft, quote, decision, options))
  }

  /** Returns previews of orders that are decided one after the other, as {@link placeAll} does. */
  rehearse(userId: string): Promise<Rehearsal> {
    return Rehearsal.open(userId, this.#runtime, this.#options.instruments)
  }

  async cancel(userId: string, orderId: string): Promise<ChangeOutcome> {
    return this.#change(userId, orderId, 'cancel', (engine, order, decision) => {
      engine.cancel(order, decision)
      return { ok: true, orderId, message: 'Order cancelled successfully' }
    })
  }

  /**
   * Cancels every waiting order, stop orders included. A few hundred at a time become durable, so that other requests
   * and ticks need not wait for all of them; an order that fills meanwhile stays filled. If the disk fails after the
   * first of them, or a `veto` refuses the next of them, the answer names the orders that still wait.
   */
  async cancelAll(userId: string, { veto }: { veto?: Veto } = {}): Promise<CancelAllOutcome> {
    let left = await this.#runtime.look(({ state }) => state.waitingOf(userId).map(({ orderId }) => orderId))
    const cancelled: string[] = []
    const failed: CancelAllOutcome['failed'] = []
    const keep = (message: string) => {
      failed.push(...left.map((orderid) => ({ orderid, message })))
      left = []
    }
    for (; left.length > 0; left = left.slice(CANCEL_SLICE)) {
      try {
        const part = await this.#cancelWaiting(userId, left.slice(0, CANCEL_SLICE), veto)
        if ('message' in part) keep(part.message)
        else cancelled.push(...part)
      } catch (error) {
        if (cancelled.length === 0) throw error
        keep(publicMessageOf(error))
      }
    }
    const message =
      cancelled.length + failed.length === 0
        ? 'No open orders to cancel'
        : `Canceled ${cancelled.length} orders. Failed to cancel ${failed.length} orders.`
    return { message, cancelled, failed }
  }

  /** Cancels those of the orders that still wait, unless a veto refuses it. */
  #cancelWaiting(
    userId: string,
    orderIds: readonly string[],
    veto: Veto | undefined,
  ): Promise<string[] | SandboxRefusal> {
    return this.#runtime.decide((engine, decision) => {
      const refused = vetoed(veto)
      if (refused) return refused
      return orderIds.filter((orderId) => {
        const order = engine.state.waiting.get(orderId)
        if (order?.userId !== userId) return false
        engine.cancel(order, decision)
        return true
      })
    })
  }

  /**
   * Changes quantity and prices of a waiting order; a price of 0 keeps its value. When a `veto` refuses,
   * nothing changes.
   */
  async modify(
    userId: string,
    orderId: string,
    changes: OrderChanges,
    options: { veto?: Veto } = {},
  ): Promise<ChangeOutcome> {
    const known = await this.#runtime.decide((engine) => engine.state.waiting.get(orderId))
    const quote = known && (await this.#runtime.quote(known, quoteNeedsOf(known)))
    return this.#change(
      userId,
      orderId,
      'modify',
      (engine, order, decision) => vetoed(options.veto) ?? engine.modify(order, changes, quote, decision),
    )
  }

  /** Returns the signed net quantity; 0 when there is no position. */
  openPosition(userId: string, ref: PositionRef): Promise<number> {
    return this.#runtime.decide(
      ({ state }) => state.accounts.get(userId)?.positions.get(positionKey(ref))?.quantity ?? 0,
    )
  }

  /** Returns the signed net quantity once the MARKET orders that wait have filled. */
  expectedPosition(userId: string, ref: PositionRef): Promise<number> {
    return this.#runtime.decide(({ state }) => expectedPosition(state, userId, ref))
  }

  /** Returns the signed quantity of those MARKET orders that wait for the next opening. */
  atNextOpening(userId: string, ref: PositionRef): Promise<number> {
    return this.#runtime.decide(({ state }) => atNextOpening(state, userId, ref))
  }

  /** Returns the part of a position that no waiting MARKET order closes yet. */
  openPart(userId: string, ref: PositionRef): Promise<OpenPart> {
    return this.#runtime.decide(({ state }) => openPart(state, userId, ref))
  }

  /** Returns the quantity of a position's orders that wait for a price with exactly these terms. */
  waitingAlike(userId: string, ref: PositionRef, terms: WaitingTerms): Promise<number> {
    return this.#runtime.decide(({ state }) => waitingAlike(state, userId, ref, terms))
  }

  /**
   * Returns what an account holds, at one moment: every position with its signed quantity, and every holding as product
   * CNC. The rows of one share add up, on the day of its purchase and on all days after.
   */
  quantities(userId: string): Promise<(PositionRef & { quantity: number })[]> {
    return this.#runtime.decide(({ state }) => {
      const account = state.accounts.get(userId)
      const positions = [...(account?.positions.values() ?? [])]
      const holdings = [...(account?.holdings.values() ?? [])]
      return [...positions, ...holdings.map((row) => ({ ...row, product: 'CNC' as const }))].map(
        ({ symbol, exchange, product, quantity }) => ({ symbol, exchange, product, quantity }),
      )
    })
  }

  /** Returns when the account was last reset; undefined if it never was. */
  resetAt(userId: string): Promise<number | undefined> {
    return this.#runtime.read((engine) => {
      const funds = engine.state.accounts.get(userId)?.funds
      return funds && funds.resetCount > 0 ? funds.lastResetAt : undefined
    })
  }

  /** Returns the positions that match the filter and can be closed. */
  openPositions(userId: string, filter: PositionFilter = {}): Promise<PositionRef[]> {
    return this.#runtime.decide((engine) =>
      [...(engine.state.accounts.get(userId)?.positions.values() ?? [])]
        .filter((position) => isOpenPosition(position) && matches(position, filter))
        .map(({ symbol, exchange, product }) => ({ symbol, exchange, product })),
    )
  }

  /**
   * Closes one position at the market, with the quantity it has at the moment of the decision. All its orders become
   * durable, or none of them.
   * @param orderIds new ids for its orders, which the caller has stored
   */
  async closePosition(
    userId: string,
    ref: PositionRef,
    orderIds: readonly string[] = [],
  ): Promise<PositionClose> {
    this.#placing.use(orderIds)
    const quote = await this.#runtime.quote(ref)
    const pieces = await this.#runtime.decide((engine, decision) =>
      engine.close(userId, ref, SQUARE_OFF_STRATEGY, quote, decision, orderIds),
    )
    return { ref, pieces }
  }

  /** Closes these positions, each as {@link closePosition} does. A position that is already flat is missing in the answer. */
  async closeEach(
    userId: string,
    positions: readonly (PositionRef & { orderIds?: readonly string[] })[],
  ): Promise<PositionClose[]> {
    const closes = await Promise.all(
      positions.map(({ orderIds, ...ref }) => this.closePosition(userId, ref, orderIds)),
    )
    return closes.filter(({ pieces }) => pieces.length > 0)
  }

  /** Returns the time at which intraday positions are squared off, by exchange and date. */
  intradayEnds(): Promise<(exchange: string, date: string) => number | undefined> {
    return this.#runtime.look(
      ({ hours }) =>
        (exchange, date) =>
          hours.squareOff(exchange, date),
    )
  }

  /** Returns every setting with its value, its default, its range and its meaning. */
  settings(): Promise<SettingView[]> {
    return this.#runtime.read(({ settings }) =>
      settingKeys().map((key) => {
        const { value, range, description } = SETTINGS[key]
        return { key, value: settings.get(key), default: value, range, description }
      }),
    )
  }

  /**
   * Changes a setting, effective at once; a new starting capital reaches every account.
   * @throws ServiceError `validation` with the message the API returns
   */
  async changeSetting(key: string | undefined, value: string | undefined): Promise<void> {
    const checked = checkSetting(key, value)
    await this.#runtime.decide((engine, decision) => {
      engine.changeSetting(checked, String(value), decision)
    })
    this.reschedule()
  }

  /** Gives an account this capital, in rupees, whatever the setting says; its positions stay. */
  async endow(userId: string, capital: number): Promise<void> {
    await this.#runtime.decide((engine, decision) => engine.endow(userId, toMoney(capital), decision))
  }

  /**
   * Resets an account: deletes orders, trades, GTTs, positions, holdings and profit history. The settings,
   * which all accounts share, return to their defaults.
   */
  async reset(userId: string): Promise<void> {
    await this.#runtime.decide((engine, decision) => {
      engine.reset(userId, 'everything', decision)
      engine.resetSettings(decision)
    })
    this.reschedule()
  }

  /** Returns the durable orders with these ids; an id that the sandbox never accepted is missing. */
  async ordersWith(orderIds: readonly string[]): Promise<SandboxOrder[]> {
    await this.#runtime.concluded()
    return this.#runtime.store.ordersWith(orderIds)
  }

  /** Returns the durable orders that the runs of a user's strategy have sent since a moment, oldest first. */
  async ordersOf(userId: string, strategy: string, since: number): Promise<SandboxOrder[]> {
    await this.#runtime.concluded()
    return this.#runtime.store.ordersOf(userId, strategy, since)
  }

  /** Runs a change on a waiting order of the user, or returns why there is none. */
  async #change(
    userId: string,
    orderId: string,
    verb: 'cancel' | 'modify',
    change: (engine: Engine, order: SandboxOrder, decision: Decision) => ChangeOutcome,
  ): Promise<ChangeOutcome> {
    const outcome = await this.#runtime.decide((engine, decision) => {
      const order = engine.state.waiting.get(orderId)
      return order?.userId === userId ? change(engine, order, decision) : undefined
    })
    return outcome ?? this.#noLongerWaiting(userId, orderId, verb)
  }

  async #noLongerWaiting(userId: string, orderId: string, verb: string): Promise<SandboxRefusal> {
    const order = await this.books.order(userId, orderId)
    return order
      ? refusal(`Cannot ${verb} order in ${order.order_status} status`)
      : refusal(`Order ${orderId} not found`, 'not_found')
  }
}

function matches(position: SandboxPosition, filter: PositionFilter): boolean {
  return (
    (filter.symbol === undefined || filter.symbol === position.symbol) &&
    (filter.exchange === undefined || filter.exchange === position.exchange) &&
    (filter.product === undefined || filter.product === position.product)
  )
}
