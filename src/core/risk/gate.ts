import type { OrderRequest } from '../orders/schema.js'
import type { Database } from '../storage/index.js'
import type { TradingMode } from '../trading/index.js'
import { allChecks, dependsOnLastPrice, firstRefusal, mayExceedCeiling, type RiskFacts } from './checks.js'
import { DayCounts } from './day-counts.js'
import { KillSwitch } from './kill-switch.js'
import type { RiskPorts } from './ports.js'
import { PriceRequests } from './price-requests.js'
import {
  DEFAULT_RULES,
  type KillSwitchState,
  type RiskCheck,
  type RiskRefusal,
  type RiskRules,
} from './schema.js'
import { RiskStore } from './store.js'

/** An older price is asked for again: the feed may have been silent for hours. */
const TRUSTED_MS = 60_000

/**
 * The pre-trade gate. Every order passes it, from every source, and an approved order passes it again at its
 * approval. With the default rules it decides from memory; a rule that the user set may need a quote or the
 * positions. Cancels never pass here: they must work while trading is stopped.
 */
export class RiskGate {
  readonly #store: RiskStore
  readonly #ports: RiskPorts
  readonly #counts: DayCounts
  readonly #prices: PriceRequests
  readonly #switch: KillSwitch
  #rules: RiskRules

  private constructor(store: RiskStore, ports: RiskPorts, rules: RiskRules, killSwitch: KillSwitch) {
    this.#store = store
    this.#ports = ports
    this.#rules = rules
    this.#switch = killSwitch
    this.#counts = new DayCounts(ports)
    this.#prices = new PriceRequests(ports.clock, ports.quote)
  }

  static async open(db: Database, ports: RiskPorts): Promise<RiskGate> {
    const store = new RiskStore(db)
    const killSwitch = await KillSwitch.open(store, ports.clock, ports.log)
    return new RiskGate(store, ports, await store.rules(), killSwitch)
  }

  /** Stops retrying to store a kill switch that the disk refused. */
  close(): Promise<void> {
    return this.#switch.close()
  }

  get rules(): Readonly<RiskRules> {
    return this.#rules
  }

  get killSwitch(): Readonly<KillSwitchState> {
    return this.#switch.state
  }

  /**
   * False while the kill switch is on but the disk refused to store it: a restart would come up without it.
   */
  get killSwitchStored(): boolean {
    return this.#switch.stored
  }

  /**
   * Returns why no new order may leave at this moment. It is the last check, made where nothing can happen
   * between the check and the sending.
   */
  readonly stopped = (): { code: 'kill_switch'; message: string } | undefined =>
    this.killSwitch.on
      ? { code: 'kill_switch', message: `The kill switch is on: ${this.killSwitch.reason}` }
      : undefined

  async change(change: Partial<RiskRules>, by: string): Promise<RiskRules> {
    await this.#store.saveRules(change, by, this.#ports.clock.now())
    this.#rules = { ...this.#rules, ...change }
    return this.#rules
  }

  /**
   * Stops or resumes trading. `on` takes effect at once, even when the disk refuses it; `off` only once it is
   * stored.
   * @throws ServiceError when `off` cannot be stored
   */
  async setKillSwitch(
    on: boolean,
    reason: string | undefined,
    by: string,
  ): Promise<Readonly<KillSwitchState>> {
    if (on) await this.#switch.putOn(reason, by)
    else await this.#switch.putOff(reason ?? 'Resumed', by)
    return this.killSwitch
  }

  /**
   * Decides on an order and counts it when it may pass.
   * @returns the refusal of the first rule that refuses it, or undefined
   */
  async admit(userId: string, mode: TradingMode, order: OrderRequest): Promise<RiskRefusal | undefined> {
    const atHand = this.#factsAtHand(userId, mode, order)
    const facts = atHand instanceof Promise ? await atHand : atHand
    // No `await` from here on: two orders cannot both be the last one of the day, and a kill switch that came
    // on while a quote was on its way applies.
    const refusal = firstRefusal(order, this.#rules, {
      ...facts,
      killSwitch: this.killSwitch,
      ordersToday: this.#counts.now(userId, mode),
    })
    if (!refusal) this.#counts.take(userId, mode, order)
    return refusal
  }

  /**
   * Removes an admitted order from the count, because it certainly reached neither the broker nor the
   * sandbox's book. Pass the same object that was admitted; an order that was not admitted, or was released
   * before, changes nothing.
   */
  release(order: OrderRequest): void {
    this.#counts.giveBack(order)
  }

  /** Drops the count of an account whose books were reset. */
  recount(userId: string, mode: TradingMode): void {
    this.#counts.forget(userId, mode)
  }

  /** Returns the refusal an order would get now, without counting it. */
  async examine(userId: string, mode: TradingMode, order: OrderRequest): Promise<RiskRefusal | undefined> {
    return firstRefusal(order, this.#rules, await this.#facts(userId, mode, order))
  }

  /**
   * Checks an order again that was admitted and then had to wait: only the rules about the order itself, from
   * memory. The rules about the account or the market were decided at its admission.
   */
  refusesNow(order: OrderRequest): RiskRefusal | undefined {
    const lastPrice = this.#seen(order)
    const ofTheOrder: RiskRules = {
      ...this.#rules,
      max_order_value: lastPrice === undefined ? null : this.#rules.max_order_value,
      max_price_age_seconds: null,
      price_band_percent: null,
      max_orders_per_day: null,
      max_day_loss: null,
    }
    return firstRefusal(order, ofTheOrder, {
      killSwitch: this.killSwitch,
      lastPrice,
      contractValue: this.#ports.contractValue?.(order),
      priceAgeMs: undefined,
      ordersToday: 0,
      dayPnl: undefined,
    })
  }

  /**
   * Returns every rule's verdict on an order, for a dry run.
   * @param ordersAhead the orders of the same request that would be sent before it, which count as orders of the day
   */
  async explain(
    userId: string,
    mode: TradingMode,
    order: OrderRequest,
    ordersAhead = 0,
  ): Promise<RiskCheck[]> {
    const price = () => this.#seen(order) ?? this.#ports.quote(order)
    const facts = await this.#facts(userId, mode, order, price)
    return allChecks(order, this.#rules, { ...facts, ordersAhead })
  }

  /** Returns the facts: at once when they are in memory, which they are with the default rules and a price. */
  #factsAtHand(userId: string, mode: TradingMode, order: OrderRequest): RiskFacts | Promise<RiskFacts> {
    const rules = this.#rules
    const ordersToday = rules.max_orders_per_day === null ? 0 : this.#counts.known(userId, mode)
    if (ordersToday === undefined || rules.max_day_loss !== null) return this.#facts(userId, mode, order)
    const lastPrice = this.#price(order)
    if (lastPrice instanceof Promise) return this.#facts(userId, mode, order, () => lastPrice)
    const priceAgeMs = this.#ports.priceAgeMs?.(order)
    const contractValue = this.#ports.contractValue?.(order)
    return {
      killSwitch: this.killSwitch,
      ordersToday,
      lastPrice,
      contractValue,
      priceAgeMs,
      dayPnl: undefined,
    }
  }

  async #facts(
    userId: string,
    mode: TradingMode,
    order: OrderRequest,
    price = () => this.#price(order),
  ): Promise<RiskFacts> {
    const rules = this.#rules
    const ordersToday = rules.max_orders_per_day === null ? 0 : await this.#counts.load(userId, mode)
    return {
      killSwitch: this.killSwitch,
      ordersToday,
      lastPrice: await price(),
      contractValue: this.#ports.contractValue?.(order),
      priceAgeMs: this.#ports.priceAgeMs?.(order),
      dayPnl: rules.max_day_loss === null ? undefined : await this.#ports.dayPnl(userId, mode),
    }
  }

  /**
   * Returns the price at hand. Without one, a limit that the user chose justifies a request; the default
   * ceiling requests a price only for an order that may exceed it, and does not let a silent market delay the
   * order for long.
   */
  #price(order: OrderRequest): number | undefined | Promise<number | undefined> {
    const seen = this.#seen(order)
    if (seen !== undefined) return seen
    // An old price may not admit an order, but it may refuse one.
    const old = this.#ports.lastPrice(order)
    const { max_order_value: ceiling, max_price_age_seconds: age, price_band_percent: band } = this.#rules
    const ownCeiling = ceiling !== null && ceiling !== DEFAULT_RULES.max_order_value
    if (ownCeiling || age !== null || band !== null) return this.#ports.quote(order)
    return mayExceedCeiling(order, this.#rules) ? this.#prices.ask(order).then((price) => price ?? old) : old
  }

  /** Returns the last price seen; undefined if it is too old to compare an order with. A rule about its age decides on that itself. */
  #seen(order: OrderRequest): number | undefined {
    const ageMs = this.#ports.priceAgeMs?.(order) ?? 0
    const isJudged = this.#rules.max_price_age_seconds !== null && dependsOnLastPrice(order, this.#rules)
    return isJudged || ageMs <= TRUSTED_MS ? this.#ports.lastPrice(order) : undefined
  }
}
