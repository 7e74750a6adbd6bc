import { messageOf } from '../../../errors/index.js'
import type { Logger } from '../../../logging/index.js'
import { type SymbolRef, symbolKey } from '../../../market/schema.js'
import type { Clock, Timer } from '../../../time/index.js'
import type { FireOutcome } from '../outcome.js'
import { type PriceAlertPayload, priceAlertPayload } from '../payloads.js'
import { type RetirePorts, retireSafely } from '../retire.js'
import type { AlertSettings } from './alert-settings.js'
import { priceMeets } from './price-conditions.js'
import { RunPool } from './run-pool.js'

/** Interval between two checks of the prices. */
export const POLL_MS = 5_000
/**
 * Oldest streamed price that is used. An older one is requested again, because the symbol may have left the
 * stream.
 */
const FRESH_MS = 2 * POLL_MS

export interface FiredAlert {
  workflowId: number
  payload: PriceAlertPayload
}

export interface PriceMonitorPorts extends RetirePorts {
  clock: Clock
  /** Returns the id of the broker that the prices come from. */
  broker(): string
  /** Returns the last streamed price with its time; undefined if the symbol does not stream. */
  lastTick(ref: SymbolRef): { ltp: number; at: number } | undefined
  /**
   * Returns prices of symbols that do not stream, by {@link symbolKey}, in one call. Symbols without a price
   * are left out.
   */
  quote(refs: readonly SymbolRef[]): Promise<ReadonlyMap<string, number>>
  /** Subscribes to the stream of a symbol. @returns a function that unsubscribes */
  watch?(ref: SymbolRef): () => void
  /** Runs the workflow if it is still active. Must not reject once the run may have begun. */
  fire(alert: FiredAlert): Promise<FireOutcome>
  log: Pick<Logger, 'info' | 'warn' | 'error'>
}

interface Alert {
  workflowId: number
  settings: AlertSettings
  expiresAt: number
  lastPrice: number | undefined
  /** True if it is a one-shot whose run has begun. */
  latched: boolean
  /** True while a run of it is in progress. */
  busy: boolean
  errorLogged: boolean
  delayLogged: boolean
}

/** The alerts on one symbol, which share one price request. */
interface Group {
  ref: SymbolRef
  alerts: Set<Alert>
  leave: (() => void) | undefined
}

/** Starts workflows when prices meet their conditions. Idle without alerts. */
export class PriceMonitor {
  readonly #ports: PriceMonitorPorts
  readonly #alerts = new Map<number, Alert>()
  readonly #groups = new Map<string, Group>()
  /** A run that waits longer than until the next check would start at an old price. */
  readonly #pool: RunPool<Alert>
  #timer: Timer | undefined
  #polling = false
  #quotesFail = false
  /** The broker of the last check. */
  #pricedBy: string | undefined

  constructor(ports: PriceMonitorPorts) {
    this.#ports = ports
    this.#pool = new RunPool(ports.clock, POLL_MS)
  }

  /**
   * Adds the alert of a workflow and replaces its previous one. The caller keeps `activatedAt` across
   * restarts.
   */
  add(workflowId: number, settings: AlertSettings, activatedAt: number): void {
    this.remove(workflowId)
    const alert: Alert = {
      workflowId,
      settings,
      expiresAt: activatedAt + (settings.expiresAfterMs ?? Number.POSITIVE_INFINITY),
      lastPrice: undefined,
      latched: false,
      busy: false,
      errorLogged: false,
      delayLogged: false,
    }
    this.#alerts.set(workflowId, alert)
    this.#groupOf(settings).alerts.add(alert)
    if (!this.#timer && !this.#polling) this.#schedule(0)
  }

  remove(workflowId: number): void {
    const alert = this.#alerts.get(workflowId)
    if (!alert) return
    this.#alerts.delete(workflowId)
    this.#pool.withdraw(alert)
    const key = symbolKey(alert.settings)
    const group = this.#groups.get(key)
    group?.alerts.delete(alert)
    if (group?.alerts.size === 0) {
      this.#groups.delete(key)
      group.leave?.()
    }
    if (this.#alerts.size > 0) return
    this.#ports.clock.clear(this.#timer)
    this.#timer = undefined
  }

  /** Removes all alerts. Does not wait for runs that have begun. */
  stop(): void {
    for (const workflowId of [...this.#alerts.keys()]) this.remove(workflowId)
  }

  /** Returns the alerts as the monitor route shows them. */
  status() {
    return {
      running: this.#alerts.size > 0,
      alerts_count: this.#alerts.size,
      poll_interval: POLL_MS / 1000,
      alerts: [...this.#alerts.values()].map(({ workflowId, settings, lastPrice, latched }) => ({
        workflow_id: workflowId,
        symbol: settings.symbol,
        exchange: settings.exchange,
        condition: settings.levels.condition,
        target_price: settings.levels.price ?? null,
        last_price: lastPrice ?? null,
        triggered: latched,
      })),
    }
  }

  #groupOf({ symbol, exchange }: SymbolRef): Group {
    const key = symbolKey({ symbol, exchange })
    const found = this.#groups.get(key)
    if (found) return found
    const ref = { symbol, exchange }
    const group = { ref, alerts: new Set<Alert>(), leave: this.#watch(ref) }
    this.#groups.set(key, group)
    return group
  }

  /** Subscribes to a symbol. If that fails, its price is requested instead. */
  #watch(ref: SymbolRef): (() => void) | undefined {
    try {
      return this.#ports.watch?.(ref)
    } catch (error) {
      this.#ports.log.warn('flow.alert_not_streamed', { ...ref, error: messageOf(error) })
      return undefined
    }
  }

  #schedule(delayMs: number): void {
    this.#timer = this.#ports.clock.setTimeout(() => void this.#cycle(), delayMs)
  }

  async #cycle(): Promise<void> {
    const { clock } = this.#ports
    this.#timer = undefined
    this.#polling = true
    const startedAt = clock.monotonic()
    try {
      await this.#poll()
    } catch (error) {
      this.#ports.log.error('flow.alert_poll_failed', { error: messageOf(error) })
    } finally {
      this.#polling = false
    }
    if (this.#alerts.size > 0) this.#schedule(Math.max(0, startedAt + POLL_MS - clock.monotonic()))
  }

  /** Checks all prices once. */
  async #poll(): Promise<void> {
    const now = this.#ports.clock.now()
    for (const alert of [...this.#alerts.values()]) {
      if (!alert.latched && now >= alert.expiresAt) this.#retire(alert, 'expired')
    }
    const broker = this.#pricesOf()
    const quoted = new Map<string, Group>()
    for (const [key, group] of this.#groups) {
      const tick = this.#ports.lastTick(group.ref)
      if (tick && this.#ports.clock.since(tick.at) <= FRESH_MS) this.#check(group, tick.ltp)
      else quoted.set(key, group)
    }
    if (quoted.size === 0) return
    const prices = await this.#quote([...quoted.values()].map(({ ref }) => ref))
    // These are prices of a broker that is not the active one any more.
    if (this.#ports.broker() !== broker) return
    for (const [key, group] of quoted) this.#check(group, prices.get(key))
  }

  /**
   * Returns the broker whose prices are checked now. Those of another one are forgotten: a simulated price and a real one
   * make a crossing that no market saw.
   */
  #pricesOf(): string {
    const broker = this.#ports.broker()
    if (broker === this.#pricedBy) return broker
    for (const alert of this.#alerts.values()) {
      alert.lastPrice = undefined
      this.#pool.withdraw(alert)
    }
    this.#pricedBy = broker
    return broker
  }

  /** Requests prices. Returns none if the call fails, and logs the first of several failures in a row. */
  async #quote(refs: readonly SymbolRef[]): Promise<ReadonlyMap<string, number>> {
    try {
      const prices = await this.#ports.quote(refs)
      this.#quotesFail = false
      return prices
    } catch (error) {
      if (!this.#quotesFail) this.#ports.log.warn('flow.alert_quotes_failed', { error: messageOf(error) })
      this.#quotesFail = true
      return new Map()
    }
  }

  #check(group: Group, ltp: number | undefined): void {
    if (ltp === undefined || !(ltp > 0)) return
    for (const alert of group.alerts) if (!alert.latched) this.#evaluate(alert, ltp)
  }

  #evaluate(alert: Alert, ltp: number): void {
    const { levels, trigger } = alert.settings
    try {
      const isMet = priceMeets(levels, ltp, alert.lastPrice)
      if (isMet && !alert.busy) this.#fire(alert, ltp)
      else if (!isMet || trigger === 'every_time') alert.lastPrice = ltp
      // Its run waits for a worker, and the price is gone.
      if (!isMet) this.#pool.withdraw(alert)
    } catch (error) {
      if (alert.errorLogged) return
      alert.errorLogged = true
      this.#ports.log.error('flow.alert_not_evaluated', {
        workflowId: alert.workflowId,
        error: messageOf(error),
      })
    }
  }

  /**
   * Starts a run. Without a free worker nothing has happened yet: the alert starts when one is free, unless a check before
   * that decides otherwise.
   */
  #fire(alert: Alert, ltp: number): void {
    const { workflowId } = alert
    const payload = priceAlertPayload(ltp, this.#ports.clock.now())
    const hasBegun = this.#pool.submit(alert, () => this.#run(alert, payload))
    if (hasBegun || alert.delayLogged) return
    alert.delayLogged = true
    this.#ports.log.warn('flow.alert_delayed', { workflowId, price: ltp })
  }

  /** Runs the workflow. Further matches are dropped until the run has ended. */
  async #run(alert: Alert, payload: PriceAlertPayload): Promise<void> {
    const { workflowId, settings } = alert
    if (this.#ports.broker() !== this.#pricedBy) return
    alert.busy = true
    alert.latched = settings.trigger === 'once'
    if (!alert.latched) alert.lastPrice = payload.trigger_price
    try {
      const outcome = await this.#ports.fire({ workflowId, payload })
      if (outcome === 'executed' && alert.latched) this.#retire(alert, 'fired')
      else alert.latched = false
    } catch (error) {
      // The workflow may have run, so a one-shot alert stays latched rather than run twice.
      this.#ports.log.error('flow.alert_failed', { workflowId, error: messageOf(error) })
    } finally {
      alert.busy = false
    }
  }

  /** Removes an alert permanently, unless a new one has replaced it. */
  #retire(alert: Alert, reason: 'fired' | 'expired'): void {
    if (!this.#isCurrent(alert)) return
    const { workflowId } = alert
    this.remove(workflowId)
    void retireSafely(this.#ports, workflowId, reason)
  }

  #isCurrent(alert: Alert): boolean {
    return this.#alerts.get(alert.workflowId) === alert
  }
}
