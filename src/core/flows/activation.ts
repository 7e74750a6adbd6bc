import { crashPoint, messageOf, PublicError, ServiceError } from '../errors/index.js'
import type { OrderUpdate } from '../events/index.js'
import type { Logger } from '../logging/index.js'
import type { Clock } from '../time/index.js'
import type { Executor, RunReply } from './engine/executor.js'
import type { CalendarPort } from './ports.js'
import type { RunTrigger, Workflow } from './schema.js'
import type { FlowStore } from './store.js'
import {
  assertArmable,
  type FireOutcome,
  FlowScheduler,
  type MarketHours,
  MISFIRE_GRACE_MS,
  nextInMarketHours,
  OrderWatches,
  PriceMonitor,
  type PriceMonitorPorts,
  triggerOf,
  withinMarketHours,
} from './triggers/index.js'
import type { Workflows } from './workflows.js'

/** Delay before an instant that the disk refused is stored again. */
const CLAIM_RETRY_MS = 1_000

export interface ActivationParts {
  clock: Clock
  log: Logger
  calendar: CalendarPort
  workflows: Workflows
  executor: Executor
  store: FlowStore
  prices: Pick<PriceMonitorPorts, 'broker' | 'lastTick' | 'quote' | 'watch'>
  /** Returns a check whether orders still go to the mode, the broker and the account of now. */
  pin(): () => boolean
  /** Returns the API key a workflow acts with; undefined if it has none or the key cannot be read. */
  keyOf(workflow: Workflow): string | undefined
  /** Returns the user of an API key; undefined if the key is not valid. */
  userOf(apiKey: string): Promise<string | undefined>
  /** Runs a change of a workflow after the changes that were asked for before. */
  inTurn(change: () => Promise<void>): Promise<void>
}

/**
 * Registers the triggers of active workflows, starts their runs, and deactivates one-shot triggers that have
 * fired.
 */
export class Activation {
  readonly #parts: ActivationParts
  readonly #scheduler: FlowScheduler
  readonly #prices: PriceMonitor
  readonly #orders: OrderWatches
  /** The market hours of the armed schedules that have some. */
  readonly #hoursOf = new Map<number, MarketHours>()
  /** The activation of each workflow for which its trigger is registered. */
  readonly #armedAt = new Map<number, number | null>()
  /**
   * The updates of orders before the triggers are registered: the start itself learns what the broker did while the
   * service was down. Undefined afterwards.
   */
  #early: OrderUpdate[] | undefined = []
  readonly #stopping = new AbortController()

  constructor(parts: ActivationParts) {
    const { clock, log } = parts
    this.#parts = parts
    this.#scheduler = new FlowScheduler({
      clock,
      log,
      fire: (id, scheduledFor) => this.#onSchedule(id, scheduledFor),
      missed: (id, scheduledFor, reason) => this.#missed(id, scheduledFor, reason),
    })
    const retire = (id: number) => this.#deactivate(id, this.#armedAt.get(id))
    this.#prices = new PriceMonitor({
      clock,
      log,
      ...parts.prices,
      retire,
      fire: ({ workflowId, payload }) => this.#fire(workflowId, 'price_alert', { ...payload }),
    })
    this.#orders = new OrderWatches({
      clock,
      log,
      retire,
      pin: parts.pin,
      ended: (workflowId) => parts.executor.ended(workflowId),
      isOwn: (workflowId, orderId) => parts.executor.hasPlaced(workflowId, orderId),
      fire: ({ workflowId, payload }) => this.#fire(workflowId, 'order_update', { ...payload }),
    })
  }

  /**
   * Registers the triggers of all active workflows, and then handles the updates of orders that arrived before. An error
   * of one workflow does not affect the others. A workflow whose trigger cannot be registered is deactivated.
   */
  async start(): Promise<void> {
    const { workflows } = this.#parts
    for (const workflow of workflows.list().reverse()) {
      if (!workflow.isActive) continue
      try {
        if (await this.#isSpent(workflow)) await this.#deactivate(workflow.id, workflow.activatedAt)
        else await this.arm(workflow)
      } catch (error) {
        await this.#notArmed(workflow, error)
      }
    }
    const early = this.#early ?? []
    this.#early = undefined
    for (const event of early) this.#orders.onOrderUpdate(event)
  }

  /** Logs why a trigger was not registered. One that cannot be read never fires, so its workflow must not look active. */
  async #notArmed({ id, activatedAt }: Workflow, error: unknown): Promise<void> {
    const { log } = this.#parts
    log.error('flow.not_armed', { workflow_id: id, error: messageOf(error) })
    if (!(error instanceof ServiceError && error.code === 'validation')) return
    await this.#deactivate(id, activatedAt).catch((fault: unknown) => {
      log.error('flow.not_deactivated', { workflow_id: id, error: messageOf(fault) })
    })
  }

  /**
   * Registers the trigger of an active workflow and replaces its previous registration.
   *
   * @throws ServiceError `validation` if the trigger cannot be registered
   */
  async arm(workflow: Workflow): Promise<void> {
    const { clock, keyOf, userOf } = this.#parts
    const trigger = triggerOf(workflow.graph)
    this.disarm(workflow.id)
    if (!trigger) throw new ServiceError('validation', 'No trigger node found in workflow')
    this.#armedAt.set(workflow.id, workflow.activatedAt)
    const activatedAt = workflow.activatedAt ?? clock.now()
    if (trigger.kind === 'schedule' && trigger.schedule) {
      this.#scheduler.arm(workflow.id, trigger.schedule, {
        anchor: activatedAt,
        lastFired: workflow.lastScheduledAt ?? undefined,
        missedRuns: trigger.missedRuns,
      })
      if (trigger.marketHours) this.#hoursOf.set(workflow.id, trigger.marketHours)
    } else if (trigger.kind === 'priceAlert') this.#prices.add(workflow.id, trigger.alert, activatedAt)
    else if (trigger.kind === 'orderUpdate') {
      const apiKey = keyOf(workflow)
      this.#orders.add(workflow.id, trigger.watch, apiKey === undefined ? undefined : await userOf(apiKey))
    }
  }

  /** Checks that the trigger of a graph could be registered now. @throws ServiceError `validation` */
  check(workflow: Pick<Workflow, 'graph'>): void {
    const trigger = triggerOf(workflow.graph)
    if (!trigger) throw new ServiceError('validation', 'No trigger node found in workflow')
    assertArmable(trigger, this.#parts.clock.now())
  }

  /** Returns whether a graph starts by a schedule. */
  isScheduled({ graph }: Pick<Workflow, 'graph'>): boolean {
    const trigger = triggerOf(graph)
    return trigger?.kind === 'schedule' && trigger.schedule !== undefined
  }

  disarm(workflowId: number): void {
    this.#armedAt.delete(workflowId)
    this.#hoursOf.delete(workflowId)
    this.#scheduler.disarm(workflowId)
    this.#prices.remove(workflowId)
    this.#orders.remove(workflowId)
  }

  /** Returns whether the market hours of its schedule allow a workflow to run now. */
  isOpenFor({ graph }: Pick<Workflow, 'graph'>): boolean {
    const { calendar, clock } = this.#parts
    const trigger = triggerOf(graph)
    const hours = trigger?.kind === 'schedule' ? trigger.marketHours : undefined
    return hours === undefined || withinMarketHours(hours, clock.now(), calendar)
  }

  /**
   * Returns the next time at which the schedule of a workflow will run it, in epoch milliseconds; undefined without a schedule,
   * and when it is never due within its market hours.
   */
  nextRun(workflowId: number): number | undefined {
    const due = this.#scheduler.next(workflowId)
    const hours = this.#hoursOf.get(workflowId)
    if (due === undefined || hours === undefined) return due
    return nextInMarketHours(hours, due, this.#parts.calendar, (after) =>
      this.#scheduler.nextAfter(workflowId, after),
    )
  }

  onOrderUpdate(event: OrderUpdate): void {
    if (this.#early) this.#early.push(event)
    else this.#orders.onOrderUpdate(event)
  }

  status() {
    return { ...this.#prices.status(), order_updates: this.#orders.status() }
  }

  stop(): void {
    this.#stopping.abort(new PublicError('The service is stopping'))
    this.#scheduler.stop()
    this.#prices.stop()
    this.#orders.stop()
  }

  async #onSchedule(workflowId: number, scheduledFor: number): Promise<FireOutcome> {
    const { workflows } = this.#parts
    const workflow = workflows.find(workflowId)
    if (!workflow?.isActive) return 'dropped'
    // Stored before the run: after a crash in between, the run is lost but never doubled.
    if (!(await this.#claim(workflowId, scheduledFor))) return 'dropped'
    crashPoint('flows.timer.afterFire')
    if (!this.isOpenFor(workflow)) return 'dropped'
    return this.#fire(workflowId, 'schedule')
  }

  /**
   * Claims an instant. While the disk refuses it, tries again until the run would be late.
   * @returns false if the instant was already claimed, or the trigger is no longer registered
   */
  async #claim(workflowId: number, scheduledFor: number): Promise<boolean> {
    const { clock, log, workflows } = this.#parts
    const armedAt = this.#armedAt.get(workflowId)
    const now = clock.now()
    // An instant that was missed before may run at any time.
    const until = (now - scheduledFor > MISFIRE_GRACE_MS ? now : scheduledFor) + MISFIRE_GRACE_MS
    for (;;) {
      try {
        return await workflows.claimInstant(workflowId, scheduledFor)
      } catch (error) {
        if (clock.now() + CLAIM_RETRY_MS > until) throw error
        log.warn('flow.instant_not_stored', { workflow_id: workflowId, error: messageOf(error) })
      }
      await clock.sleep(CLAIM_RETRY_MS, this.#stopping.signal)
      if (this.#armedAt.get(workflowId) !== armedAt) return false
    }
  }

  async #fire(
    workflowId: number,
    trigger: RunTrigger,
    payload?: Record<string, unknown>,
  ): Promise<FireOutcome> {
    const { executor, keyOf, log, workflows } = this.#parts
    const workflow = workflows.find(workflowId)
    if (!workflow?.isActive) return 'dropped'
    const apiKey = () => keyOf(workflow)
    if (apiKey() === undefined) {
      log.error('flow.no_key', { workflow_id: workflowId, trigger })
      return 'refused'
    }
    const reply = await executor.run(workflow, { trigger, apiKey, ...(payload && { payload }) })
    if (reply.kind === 'invalid') {
      log.error('flow.not_runnable', { workflow_id: workflowId, problem: reply.problems[0]?.message })
    }
    return OUTCOME_OF[reply.kind]
  }

  #missed(workflowId: number, scheduledFor: number, reason: string): void {
    const { log, workflows } = this.#parts
    log.warn('flow.run_missed', { workflow_id: workflowId, scheduled_for: scheduledFor, reason })
    workflows.claimInstant(workflowId, scheduledFor).catch((error: unknown) => {
      log.error('flow.miss_not_noted', { workflow_id: workflowId, error: messageOf(error) })
    })
  }

  /**
   * Deactivates a workflow whose one-shot trigger has fired or expired, unless it was activated again: its trigger may
   * end while somebody changes it.
   */
  #deactivate(workflowId: number, activatedAt: number | null | undefined): Promise<void> {
    const { inTurn, workflows } = this.#parts
    return inTurn(async () => {
      const workflow = workflows.find(workflowId)
      if (!workflow || workflow.activatedAt !== activatedAt) return
      this.disarm(workflowId)
      await workflows.setState(workflowId, { isActive: false, scheduleJobId: null })
    })
  }

  /** Returns whether a one-shot trigger started a run, and the process ended before it was deactivated. */
  async #isSpent(workflow: Workflow): Promise<boolean> {
    const trigger = triggerOf(workflow.graph)
    const repeat =
      trigger?.kind === 'priceAlert'
        ? trigger.alert.trigger
        : trigger?.kind === 'orderUpdate'
          ? trigger.watch.trigger
          : undefined
    if (repeat !== 'once') return false
    const ran = trigger?.kind === 'priceAlert' ? 'price_alert' : 'order_update'
    return this.#parts.store.hasRunSince(workflow.id, ran, workflow.activatedAt ?? 0)
  }
}

const OUTCOME_OF: Readonly<Record<RunReply['kind'], FireOutcome>> = {
  finished: 'executed',
  already_running: 'already_running',
  invalid: 'refused',
  stopping: 'refused',
}
