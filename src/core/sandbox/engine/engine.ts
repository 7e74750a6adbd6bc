import type { Veto } from '../../errors/index.js'
import { largestOrderOf, marketProblem, piecesOf, piecesProblem } from '../../instruments/index.js'
import type { Instrument } from '../../instruments/schema.js'
import { type PriceBand, type Quote, type SymbolRef, symbolKey } from '../../market/schema.js'
import { exactQuantity, fromMoney, type Money, toMoney } from '../../money/index.js'
import type { PositionRef } from '../../orders/schema.js'
import { markJob } from '../clock/job-marks.js'
import { TradingHours } from '../clock/trading-hours.js'
import { endGtt, fireGtts, gttsOf } from '../gtt/gtts.js'
import type {
  ChangeOutcome,
  OrderChanges,
  PlaceOutcome,
  PositionClose,
  PreviewOutcome,
  SandboxCalendar,
  SandboxFunds,
  SandboxInstruments,
  SandboxOrder,
} from '../schema.js'
import { type SandboxSettings, SETTINGS, type SettingKey, settingKeys } from '../settings.js'
import { draftOfPosition, type OrderDraft, refusal } from './acceptance.js'
import { type AccountSituation, assess, checkDelivery, fund, signedQuantity } from './assessment.js'
import { changedTerms, checkChanges } from './changes.js'
import { cancelOrder, type Decision, type ExecutionPorts, fillOrder, record } from './execution.js'
import { block, closingAndOpening } from './ledger.js'
import { openPart } from './market-orders.js'
import { isUsable, lastPriceIn, type MatchMoment, match } from './matching.js'
import { newOrder, type OrderTicket, positionKey } from './new-order.js'
import { type Account, newAccount, newFunds, type SandboxState } from './state.js'

/** The ports of the engine. */
interface EnginePorts {
  instruments: SandboxInstruments
  calendar: SandboxCalendar
  /** Returns true when the market trades around the clock, so that intraday hours do not apply. */
  alwaysOpen(): boolean
  /** Returns the day's price band as far as it is known. */
  priceBand(ref: SymbolRef): PriceBand | undefined
  stopped: Veto
  nextOrderId(): string
}

/**
 * Makes every decision of the sandbox, in memory and synchronously: nothing here waits, so a tick and a
 * request never see each other half done. The engine records every change for the persister. A decision that
 * throws leaves the memory unusable; the caller then reloads it from disk.
 */
export class Engine implements ExecutionPorts {
  readonly state: SandboxState
  readonly instruments: SandboxInstruments
  settings: SandboxSettings
  readonly #ports: EnginePorts

  constructor(state: SandboxState, settings: SandboxSettings, ports: EnginePorts) {
    this.state = state
    this.instruments = ports.instruments
    this.settings = settings
    this.#ports = ports
  }

  /**
   * True while trading is stopped, so that no new order may be sent. Orders that only reduce a position
   * ignore it.
   */
  get stopped(): boolean {
    return this.#ports.stopped() !== undefined
  }

  nextOrderId(): string {
    return this.#ports.nextOrderId()
  }

  /** The current trading hours: settings, calendar and the market's own hours can change at any time. */
  get hours(): TradingHours {
    return new TradingHours(this.#ports.calendar, this.settings, this.#ports.alwaysOpen())
  }

  /** Accepts, fills, or refuses an order on the given quote. */
  place(ticket: OrderTicket, draft: OrderDraft, quote: Quote | undefined, decision: Decision): PlaceOutcome {
    const account = this.account(ticket.userId, decision)
    const assessed = assess(draft, quote, this.#situation(account, decision))
    const opensAt = this.#opening(draft, decision)
    const order = newOrder(ticket, draft, decision.now, opensAt)
    if ('message' in assessed) {
      if (!assessed.stored) return refusal(assessed.message)
      order.status = 'rejected'
      order.rejectionReason = assessed.message
      record(order, decision)
      return { ...refusal(assessed.message), orderId: order.orderId }
    }
    order.price = assessed.price
    order.margin = assessed.margin
    order.marginQuantity = assessed.marginQuantity
    block(account.funds, order.margin)
    decision.changes.funds.add(account.funds)
    if (opensAt === null && this.#match(account, order, quote, 'arriving', decision)) {
      return { ok: true, orderId: order.orderId }
    }
    if (order.validity === 'IOC') {
      cancelOrder(this, account, order, 'IOC order, not filled at once', decision)
    } else {
      this.state.addWaiting(order)
      record(order, decision)
    }
    return { ok: true, orderId: order.orderId }
  }

  /** Ends the orders whose validity is over. */
  expire(decision: Decision): void {
    for (const order of this.state.dueBy(decision.now)) {
      const account = this.account(order.userId, decision)
      cancelOrder(this, account, order, 'TTL order, its minutes are over', decision)
    }
  }

  /** Returns the outcome {@link place} would have, without placing the order. */
  preview(
    userId: string,
    draft: OrderDraft,
    quote: Quote | undefined,
    decision: Decision,
    { isStored = false } = {},
  ): PreviewOutcome {
    const account = this.state.accounts.get(userId) ?? this.#freshAccount(userId, decision)
    const situation = this.#situation(account, decision)
    const assessed = assess(draft, quote, isStored ? { ...situation, priceBand: () => undefined } : situation)
    if ('message' in assessed) return refusal(assessed.message)
    const opensAt = this.#opening(draft, decision)
    const order = {
      ...newOrder({ userId, orderId: '' }, draft, decision.now, opensAt),
      price: assessed.price,
    }
    const result = opensAt === null ? match(order, quote, 'arriving') : { status: order.status }
    return {
      ok: true,
      margin: fromMoney(assessed.margin),
      available: fromMoney(account.funds.available),
      status: 'fill' in result ? 'complete' : result.status,
      fillPrice: 'fill' in result ? fromMoney(result.fill) : undefined,
    }
  }

  /** Returns why an order would be refused now; undefined when it would be accepted. */
  objection(
    userId: string,
    draft: OrderDraft,
    quote: Quote | undefined,
    decision: Decision,
  ): string | undefined {
    const assessed = assess(draft, quote, this.#situation(this.account(userId, decision), decision))
    return 'message' in assessed ? assessed.message : undefined
  }

  /** Applies a quote to the GTTs and the orders that wait for it, oldest first. */
  tick(quote: Quote, decision: Decision): void {
    const key = symbolKey(quote)
    if (this.state.gttsOn(key).size > 0) fireGtts(this, quote, decision)
    this.expire(decision)
    if (!isUsable(quote) || !this.state.actsAt(key, toMoney(quote.ltp))) return
    for (const order of [...this.state.waitingOn(key)]) {
      if (order.opensAt !== null && decision.now < order.opensAt) continue
      const account = this.account(order.userId, decision)
      const before = order.status
      const opens = order.opensAt !== null
      if (opens) open(order, quote)
      if (this.#match(account, order, quote, opens ? 'arriving' : 'waiting', decision)) continue
      if (opens || order.status !== before) record(order, decision)
    }
    this.state.renewNearest(key)
  }

  cancel(order: SandboxOrder, decision: Decision): void {
    cancelOrder(this, this.account(order.userId, decision), order, '', decision)
  }

  /**
   * Changes quantity and prices of a waiting order, blocks or returns the difference in margin, and matches
   * the order with the given quote as if it had just arrived. A refused change leaves the order as it was.
   */
  modify(
    order: SandboxOrder,
    changes: OrderChanges,
    quote: Quote | undefined,
    decision: Decision,
  ): ChangeOutcome {
    const instrument = this.instruments.find(order.symbol, order.exchange)
    const problem =
      checkChanges(order, changes, instrument, this.instruments) ??
      this.#marketProblem(order, changes, instrument, quote)
    if (problem) return refusal(problem)
    const account = this.account(order.userId, decision)
    const situation = this.#situation(account, decision)
    const terms = changedTerms(order, changes)
    const changed = {
      ...order,
      quantity: exactQuantity(changes.quantity),
      price: changes.price > 0 ? toMoney(changes.price) : order.price,
      // A stop that has been triggered keeps its trigger: nothing waits for it any more.
      triggerPrice: terms.triggerPrice > 0 ? toMoney(terms.triggerPrice) : order.triggerPrice,
    }
    const held = account.positions.get(positionKey(order))?.quantity ?? 0
    const { opening } = closingAndOpening(held, signedQuantity(changed))
    const oversell = checkDelivery(order, changed.quantity, situation, order)
    const funded = oversell
      ? { message: oversell }
      : fund(
          { ...changed, priceType: terms.priceType },
          instrument,
          opening,
          order.margin,
          lastPriceIn(quote),
          situation,
        )
    if ('message' in funded) return refusal(funded.message)

    block(account.funds, funded.margin - order.margin)
    order.quantity = changed.quantity
    order.price = changed.price
    order.triggerPrice = changed.triggerPrice
    order.margin = funded.margin
    order.marginQuantity = funded.marginQuantity
    decision.changes.funds.add(account.funds)
    if (order.opensAt !== null || !this.#match(account, order, quote, 'arriving', decision)) {
      this.state.noteTerms(order)
      record(order, decision)
    }
    return { ok: true, orderId: order.orderId, message: 'Order modified successfully' }
  }

  /**
   * Places the opposite MARKET orders for the current quantity of a position, less the quantity that waiting
   * MARKET orders will close. If those orders close all of it, it is refused: they may rest, and close nothing.
   * @param orderIds the ids of its orders, as far as the caller has stored them
   * @returns each order; none for a position that is flat
   */
  close(
    userId: string,
    ref: PositionRef,
    strategy: string,
    quote: Quote | undefined,
    decision: Decision,
    orderIds: readonly string[] = [],
  ): PositionClose['pieces'] {
    const { problem: waits, quantity: open } = openPart(this.state, userId, ref)
    if (waits !== undefined) return [{ quantity: 0, outcome: refusal(waits, 'conflict') }]
    const position = this.state.accounts.get(userId)?.positions.get(positionKey(ref))
    if (!position || open === 0) return []
    const whole = draftOfPosition({ ...position, quantity: open }, strategy, this.instruments)
    const left = whole.request.quantity
    const largest = largestOrderOf(this.instruments, ref)
    const problem = piecesProblem({ ...ref, quantity: left }, largest)
    if (problem !== undefined) return [{ quantity: left, outcome: refusal(problem) }]
    return piecesOf(left, largest).map((quantity, index) => {
      const ticket = { userId, orderId: orderIds[index] ?? this.nextOrderId() }
      const draft = { ...whole, request: { ...whole.request, quantity } }
      return { quantity, outcome: this.place(ticket, draft, quote, decision) }
    })
  }

  /**
   * Resets an account: funds, positions and holdings start from the beginning, waiting orders and GTTs are
   * cancelled. The books keep the earlier orders and trades, unless `extent` is `everything`.
   */
  reset(userId: string, extent: 'account' | 'everything', decision: Decision): void {
    const { changes } = decision
    const account = this.account(userId, decision)
    for (const order of this.state.waitingOf(userId)) this.cancel(order, decision)
    for (const gtt of gttsOf(this.state, userId)) endGtt(this, account, gtt, 'cancelled', decision)
    for (const row of [...account.positions.values(), ...account.holdings.values()]) {
      if (row.quantity !== 0) this.state.countOpen(symbolKey(row), -1)
    }
    if (extent === 'everything') {
      changes.reset(userId)
    } else {
      for (const position of account.positions.values()) changes.removePosition(position)
      for (const holding of account.holdings.values()) changes.removeHolding(holding)
      changes.funds.delete(account.funds)
    }
    const fresh = this.#freshAccount(userId, decision)
    fresh.funds.resetCount = account.funds.resetCount + 1
    this.state.accounts.set(userId, fresh)
    changes.funds.add(fresh.funds)
    changes.restarts.add(userId)
  }

  /** Sets every setting to its default. */
  resetSettings(decision: Decision): void {
    for (const key of settingKeys()) {
      const { value } = SETTINGS[key]
      if (this.settings.get(key) !== value) this.changeSetting(key, value, decision)
    }
  }

  /**
   * Changes a setting. A new starting capital applies to every account; its profit, loss and positions stay.
   */
  changeSetting(key: SettingKey, value: string, decision: Decision): void {
    this.settings = this.settings.with(key, value)
    decision.changes.settings.set(key, value)
    // A new reset time must not make the job run for a moment that has already passed.
    if (key === 'reset_day' || key === 'reset_time') markJob(this.state, 'reset', decision)
    if (key !== 'starting_capital') return
    const capital = this.settings.startingCapital
    for (const { funds } of this.state.accounts.values()) setCapital(funds, capital, decision)
  }

  /** Changes the capital of one account. */
  endow(userId: string, capital: Money, decision: Decision): void {
    setCapital(this.account(userId, decision).funds, capital, decision)
  }

  /** Returns the user's account; opens it with the starting capital on first use. */
  account(userId: string, decision: Decision): Account {
    const known = this.state.accounts.get(userId)
    if (known) return known
    const account = this.#freshAccount(userId, decision)
    this.state.accounts.set(userId, account)
    decision.changes.funds.add(account.funds)
    return account
  }

  /** Applies a quote to one order; returns true when the order left the market. */
  #match(
    account: Account,
    order: SandboxOrder,
    quote: Quote | undefined,
    moment: MatchMoment,
    decision: Decision,
  ): boolean {
    const result = match(order, quote, moment)
    if ('status' in result) {
      order.status = result.status
      return false
    }
    fillOrder(this, account, order, result.fill, quote ? toMoney(quote.ltp) : result.fill, decision)
    return true
  }

  /** Returns the opening that an order waits for; null if it trades at once. */
  #opening({ request }: OrderDraft, { now }: Decision): number | null {
    if (request.instructions?.amo !== true) return null
    return this.hours.nextOpen(request.exchange, now) ?? null
  }

  #freshAccount(userId: string, { now }: Decision): Account {
    return newAccount(newFunds(userId, this.settings.startingCapital, now))
  }

  #situation(account: Account, { now }: Decision): AccountSituation {
    const { hours, settings, state } = this
    return { state, account, settings, now, hours, priceBand: (ref) => this.#ports.priceBand(ref) }
  }

  /** Returns why the exchange would refuse the changes because of the market. */
  #marketProblem(
    order: SandboxOrder,
    changes: OrderChanges,
    instrument: Instrument | undefined,
    quote: Quote | undefined,
  ): string | undefined {
    const lastPrice = fromMoney(lastPriceIn(quote))
    // An order for a later session meets the price band of that session.
    const band = order.opensAt === null ? this.#ports.priceBand(order) : undefined
    const market = { lastPrice, band, tickSize: instrument?.tickSize ?? 0 }
    return marketProblem(changedTerms(order, changes), market)?.message
  }
}

/** The market has opened for an AMO: its price is protected from the first price of the day on. */
function open(order: SandboxOrder, quote: Quote): void {
  order.opensAt = null
  if (order.priceType === 'MARKET') order.price = toMoney(quote.ltp)
}

function setCapital(funds: SandboxFunds, capital: Money, decision: Decision): void {
  funds.available += capital - funds.capital
  funds.capital = capital
  decision.changes.funds.add(funds)
}
