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
/** The events that wait for the end of a run. */
const MOST_QUEUED = 100

export interface FiredWatch {
  workflowId: number
  payload: OrderUpdatePayload
}

export interface OrderWatchPorts extends RetirePorts {
  clock: Clock
  /** Runs the workflow if it is still active. Must not reject once the run may have begun. */
  fire(watch: FiredWatch): Promise<FireOutcome>
  /** Resolves when the run of a workflow that is in progress has ended; at once if there is none. */
  ended(workflowId: number): Promise<void>
  /** Returns a check whether orders still go to the mode, the broker and the account of now. */
  pin(): () => boolean
  /** Returns whether a run of the workflow has placed the order. Orders of a run are known at its end. */
  isOwn(workflowId: number, orderId: string): boolean
  log: Pick<Logger, 'warn' | 'error'>
}

interface Arrival {
  payload: OrderUpdatePayload
  /** Returns whether orders still go where they went when the event arrived. */
  isHere(): boolean
}

interface Watch {
  workflowId: number
  userId: string
  settings: WatchSettings
  /** True while a run of it is in progress, or waits for the end of another run of its workflow. */
  claimed: boolean
  /** The events that arrived during that run; only the newest for a watch that fires once. */
  queued: Arrival[]
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
    const arrival = { payload, isHere: this.#ports.pin() }
    if (watch.claimed && watch.settings.trigger === 'once') {
      // It counts if the event before it starts nothing.
      watch.queued = [arrival]
      return
    }
    watch.fired.add(state)
    if (!watch.claimed) {
      watch.claimed = true
      void this.#run(watch, arrival)
    } else if (watch.queued.length < MOST_QUEUED) watch.queued.push(arrival)
    else this.#drop(watch, payload)
  }

  async #run(watch: Watch, arrival: Arrival): Promise<void> {
    const { workflowId, settings } = watch
    try {
      const outcome = await this.#fire(watch, arrival)
      // Nothing was done for the event, so its repetition may start a run.
      if (outcome !== 'executed') watch.fired.delete(stateOf(arrival.payload))
      if (settings.trigger === 'once' && outcome === 'executed') this.#retire(watch)
      else this.#release(watch)
    } catch (error) {
      // The workflow may have run, so a one-shot watch stays claimed rather than run twice.
      this.#ports.log.error('flow.order_watch_failed', { workflowId, error: messageOf(error) })
      if (settings.trigger === 'every_time') this.#release(watch)
    }
  }

  /**
   * Runs the workflow for an event, after the run that is in progress: the event may never come again. An event that waited
   * starts nothing if it is about an order of that run, or at another broker, where an exit would open a position.
   */
  async #fire(watch: Watch, { isHere, payload }: Arrival): Promise<FireOutcome> {
    const { workflowId } = watch
    for (
      let hasWaited = false;
      this.#isCurrent(watch) && !this.#isOwn(watch, payload, hasWaited);
      hasWaited = true
    ) {
      if (!isHere()) {
        this.#drop(watch, payload)
        break
      }
      const outcome = await this.#ports.fire({ workflowId, payload })
      if (outcome !== 'already_running') return outcome
      await this.#ports.ended(workflowId)
    }
    return 'dropped'
  }

  /** Frees the watch for the next event, which may be waiting already. */
  #release(watch: Watch): void {
    const next = watch.queued.shift()
    watch.claimed = next !== undefined
    if (next !== undefined) void this.#run(watch, next)
  }

  #drop({ fired, workflowId }: Watch, payload: OrderUpdatePayload): void {
    fired.delete(stateOf(payload))
    this.#ports.log.warn('flow.order_update_dropped', { workflowId, orderid: payload.orderid })
  }

  /**
   * Returns whether an event would start a workflow by its own order: every time and perhaps without end, or once right after
   * the run that placed the order.
   */
  #isOwn(
    { settings: { orderId, trigger }, workflowId }: Watch,
    { orderid }: OrderUpdatePayload,
    hasWaited = false,
  ): boolean {
    const isAsked = (trigger === 'every_time' || hasWaited) && orderId === undefined
    return isAsked && this.#ports.isOwn(workflowId, orderid)
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
