import { messageOf, ServiceError } from '../../../errors/index.js'
import type { OrderUpdate } from '../../../events/index.js'
import type { Logger } from '../../../logging/index.js'
import type { Clock } from '../../../time/index.js'
import { RecentKeys } from '../../recent-keys.js'
import type { FireOutcome } from '../outcome.js'
import { type OrderUpdatePayload, orderUpdatePayload } from '../payloads.js'
import { type RetirePorts, retireSafely } from '../retire.js'
import { plainStatus, type WatchSettings } from './watch-settings.js'

/** The states of orders that a watch remembers, so that it starts once for each. */
const REMEMBERED_STATES = 1_000
/** The events that wait during a run until it is known which of them are about orders of its own. */
const MOST_QUEUED = 100

export interface FiredWatch {
  workflowId: number
  payload: OrderUpdatePayload
}

export interface OrderWatchPorts extends RetirePorts {
  clock: Clock
  /** Runs the workflow if it is still active. Must not reject once the run may have begun. */
  fire(watch: FiredWatch): Promise<FireOutcome>
  /** Returns whether a run of the workflow has placed the order. Orders of a run are known at its end. */
  isOwn(workflowId: number, orderId: string): boolean
  log: Pick<Logger, 'warn' | 'error'>
}

interface Watch {
  workflowId: number
  userId: string
  settings: WatchSettings
  /** True while a run of it is in progress. */
  claimed: boolean
  /** The events that arrived during that run, for a watch that fires every time. */
  queued: OrderUpdatePayload[]
  /** The states of orders that have started it: a broker may report one by several ways. */
  fired: RecentKeys
}

/** Starts workflows when orders change. */
export class OrderWatches {
  readonly #ports: OrderWatchPorts
  readonly #watches = new Map<number, Watch>()
  readonly #byUser = new Map<string, Set<Watch>>()

  constructor(ports: OrderWatchPorts) {
    this.#ports = ports
  }

  /**
   * Watches a user's orders for a workflow and replaces its previous watch. @throws ServiceError `validation`
   */
  add(workflowId: number, settings: WatchSettings, userId: string | undefined): void {
    if (!userId) {
      throw new ServiceError('validation', 'orderUpdateTrigger needs an account whose orders it watches')
    }
    this.remove(workflowId)
    const fired = new RecentKeys(REMEMBERED_STATES)
    const watch: Watch = { workflowId, userId, settings, claimed: false, queued: [], fired }
    this.#watches.set(workflowId, watch)
    const others = this.#byUser.get(userId)
    if (others) others.add(watch)
    else this.#byUser.set(userId, new Set([watch]))
  }

  remove(workflowId: number): void {
    const watch = this.#watches.get(workflowId)
    if (!watch) return
    this.#watches.delete(workflowId)
    const others = this.#byUser.get(watch.userId)
    others?.delete(watch)
    if (others?.size === 0) this.#byUser.delete(watch.userId)
  }

  /** Removes all watches. Does not wait for runs that have begun. */
  stop(): void {
    this.#watches.clear()
    this.#byUser.clear()
  }

  /** Handles an `order.update` event. An event without a user matches no watch. */
  onOrderUpdate(event: OrderUpdate): void {
    if (event.user_id === undefined) return
    for (const watch of [...(this.#byUser.get(event.user_id) ?? [])]) {
      if (matches(watch.settings, event)) this.#claim(watch, event)
    }
  }

  /** Returns the watches as the monitor route shows them. */
  status() {
    return {
      watches_count: this.#watches.size,
      watches: [...this.#watches.values()].map(({ workflowId, settings, claimed }) => ({
        workflow_id: workflowId,
        order_id: settings.orderId ?? '',
        symbol: settings.symbol ?? '',
        exchange: settings.exchange ?? '',
        status: settings.status,
        triggered: claimed,
      })),
    }
  }

  /** Starts one run per watch, at once. While it runs, more events wait if the watch fires every time. */
  #claim(watch: Watch, event: OrderUpdate): void {
    const payload = orderUpdatePayload(event, this.#ports.clock.now())
    const state = stateOf(payload)
    if (watch.fired.has(state) || this.#isOwn(watch, payload)) return
    if (!watch.claimed) {
      watch.claimed = true
      watch.fired.add(state)
      void this.#run(watch, payload)
    } else if (watch.settings.trigger === 'every_time') {
      watch.fired.add(state)
      if (watch.queued.length < MOST_QUEUED) watch.queued.push(payload)
      else this.#drop(watch, payload)
    }
  }

  async #run(watch: Watch, payload: OrderUpdatePayload): Promise<void> {
    const { workflowId, settings } = watch
    if (!this.#isCurrent(watch)) return
    if (this.#isOwn(watch, payload)) return this.#release(watch)
    try {
      const outcome = await this.#ports.fire({ workflowId, payload })
      // Nothing was done for the event, so its repetition may start a run.
      if (outcome !== 'executed') watch.fired.delete(stateOf(payload))
      if (settings.trigger === 'every_time') this.#release(watch)
      else if (outcome === 'executed') this.#retire(watch)
      else watch.claimed = false
    } catch (error) {
      // The workflow may have run, so a one-shot watch stays claimed rather than run twice.
      this.#ports.log.error('flow.order_watch_failed', { workflowId, error: messageOf(error) })
      if (settings.trigger === 'every_time') this.#release(watch)
    }
  }

  /** Frees the watch for the next event, which may be waiting already. One that waited starts a run, the others none. */
  #release(watch: Watch): void {
    const [next, ...others] = watch.queued.filter((payload) => !this.#isOwn(watch, payload))
    watch.queued = []
    watch.claimed = next !== undefined
    for (const payload of others) this.#drop(watch, payload)
    if (next !== undefined) void this.#run(watch, next)
  }

  #drop({ fired, workflowId }: Watch, payload: OrderUpdatePayload): void {
    fired.delete(stateOf(payload))
    this.#ports.log.warn('flow.order_update_dropped', { workflowId, orderid: payload.orderid })
  }

  /** Returns whether an event would start a workflow by its own order, and so perhaps without end. */
  #isOwn({ settings: { orderId, trigger }, workflowId }: Watch, { orderid }: OrderUpdatePayload): boolean {
    return trigger === 'every_time' && orderId === undefined && this.#ports.isOwn(workflowId, orderid)
  }

  #retire(watch: Watch): void {
    if (!this.#isCurrent(watch)) return
    this.remove(watch.workflowId)
    void retireSafely(this.#ports, watch.workflowId, 'fired')
  }

  #isCurrent(watch: Watch): boolean {
    return this.#watches.get(watch.workflowId) === watch
  }
}

/** Every condition of the watch must equal the event. An empty value in the event matches none. */
function matches({ orderId, symbol, exchange, status }: WatchSettings, event: OrderUpdate): boolean {
  return (
    (status === 'any' || plainStatus(event.order_status) === status) &&
    (orderId === undefined || event.orderid === orderId) &&
    (symbol === undefined || event.symbol === symbol) &&
    (exchange === undefined || event.exchange === exchange)
  )
}

/** Identifies what an event tells. Another way by which a broker reports the same has the same one. */
function stateOf({ filled_quantity, order_status, orderid }: OrderUpdatePayload): string {
  return JSON.stringify([orderid, plainStatus(order_status), filled_quantity])
}
