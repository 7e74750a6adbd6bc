import { setImmediate as turn } from 'node:timers/promises'
import { NoAnswerError } from '../../client/index.js'
import { expectedOf } from '../../views/approvals/plan.js'
import { beyondRule, moneyAtStake } from '../../views/approvals/rule.js'
import type { LiveDaemon, Sender } from '../live/daemon.js'
import { SleepWatch } from '../live/sleep-watch.js'
import { Store } from '../live/store.js'
import { type Act, Decision, isFree, type Progress, type Seen } from './decision.js'
import { ApprovalFeed, readPlan } from './feed.js'
import { BeyondRule, failed, notSent, type Outcome, partly, succeeded } from './outcome.js'

/** How long a decision can be undone before it is sent. */
export interface UndoWindow {
  /** 0 sends decisions at once. */
  seconds: number
  /** Approvals with less money at stake, in rupees, are sent at once. */
  from: number
}

/** An approved order may wait for its turn within the broker's limits. */
const DECISION_LIMIT_MS = 120_000
const RATE_LIMIT_PAUSE_MS = 1000
const MOST_TRIES = 30

const WAITING: Progress = { step: 'waiting', text: 'waiting' }
const SLEPT = 'not sent. The program was asleep before its turn came: decide again.'
const FAULT = 'not sent. The program met an error.'

/**
 * The decisions made on this screen. They are sent one after the other, oldest order first. None is repeated
 * by itself: one that got no answer is shown as in doubt.
 */
export class Decisions implements Sender {
  readonly #daemon: LiveDaemon
  /** How far the decisions have come, by the id of the order. */
  readonly progress = new Store<ReadonlyMap<number, Progress>>(new Map())
  undoWindow: UndoWindow = { seconds: 0, from: 0 }
  #queue: Promise<void> = Promise.resolve()
  /** The decisions that are not over, in their order. */
  readonly #decisions = new Set<Decision>()
  readonly #sleep = new SleepWatch(() => this.dropUnsent(SLEPT))

  constructor(daemon: LiveDaemon) {
    this.#daemon = daemon
    daemon.addSender(this)
    // They are not sent to a daemon that comes back, or for somebody else who signs in.
    daemon.connection.state.subscribe(() => {
      const refusal = daemon.refusal()
      if (refusal !== undefined) this.dropUnsent(refusal)
    })
  }

  /** Returns the commands that show the orders whose decision has been sent, and not answered. */
  unanswered(): readonly string[] {
    return [...this.#decisions].flatMap(({ sending }) =>
      sending === undefined ? [] : `svc approval show ${sending}`,
    )
  }

  /** Returns the orders whose decision is not sent yet. */
  unsent(): readonly string[] {
    return [...this.#decisions].flatMap(({ unsent }) => unsent.map((id) => `the decision on approval ${id}`))
  }

  /** Returns whether an approval could be undone: only then may it go without a question. */
  canUndo(seen: Seen): boolean {
    return this.#windowMs({ approve: true, seen }) > 0
  }

  approve(ids: readonly number[], seen: Seen): void {
    this.#decide(ids, { approve: true, seen })
  }

  reject(ids: readonly number[], reason: string): void {
    this.#decide(ids, { approve: false, reason })
  }

  /** Takes the newest decision back, as far as it is not sent yet. @returns its orders that are not sent; none if there are none */
  undo(): readonly number[] {
    const newest = [...this.#decisions].findLast(({ unsent }) => unsent.length > 0)
    const ids = newest?.drop(undefined) ?? []
    this.#set(ids, undefined)
    return ids
  }

  /** Returns whether an order may be decided: not while a decision on it is on its way, or made. */
  isFree(id: number): boolean {
    return isFree(this.progress.get().get(id)?.step)
  }

  isSettled(): boolean {
    return this.#decisions.size === 0
  }

  /** Resolves when no decision waits for an answer; those that can still be undone are sent before. */
  async settled(): Promise<void> {
    while (!this.isSettled()) await this.#queue
  }

  /** Drops every decision that is not sent yet, and says why. */
  dropUnsent(why: string): void {
    const ids = this.#drop([...this.#decisions], why)
    const [id] = ids
    if (id !== undefined)
      this.#daemon.changes.warn(ids.length === 1 ? `Approval ${id}: ${why}` : `${ids.length} orders: ${why}`)
  }

  #decide(given: readonly number[], act: Act): void {
    const ids = given.filter((id) => this.isFree(id)).sort((one, other) => one - other)
    if (ids.length === 0) return
    this.#sleep.start()
    // A sleep before the decision does not concern it.
    this.#sleep.check()
    const decision = new Decision(ids, act)
    const ms = this.#windowMs(act)
    const isOver = ms === 0 ? Promise.resolve() : decision.pause(ms)
    this.#decisions.add(decision)
    this.#queue = this.#queue
      .then(() => isOver)
      .then(() => this.#sendAll(decision))
      .catch((thrown: unknown) => this.#end(decision, thrown))
      .catch(this.#daemon.fault)
      .finally(() => {
        this.#decisions.delete(decision)
        if (this.isSettled()) this.#sleep.stop()
        void this.#daemon.part(ApprovalFeed).refresh()
      })
      .catch(this.#daemon.fault)
    const verb = act.approve ? 'approved' : 'rejected'
    this.#set(ids, ms === 0 ? WAITING : { step: 'held', text: `${verb} in ${ms / 1000} s, u undoes` })
  }

  /** Returns how long a decision can be undone, in milliseconds. */
  #windowMs(act: Act): number {
    const { from, seconds } = this.undoWindow
    return act.approve && isBelow(from, act.seen) ? 0 : seconds * 1000
  }

  /** Sends decisions until a refusal that holds for all of them: the rest is not tried. */
  async #sendAll(decision: Decision): Promise<void> {
    const { ids } = decision
    const { changes } = this.#daemon
    this.#set(decision.unsent, WAITING)
    for (const id of ids) {
      const outcome = decision.isUnsent(id) ? await this.#send(decision, id) : undefined
      if (outcome === undefined) return
      const { progress, stops } = outcome
      const dropped =
        stops === 'nothing' ? [] : this.#drop(this.#stoppedBy(outcome, decision), outcome.others)
      // The list of results says what became of several.
      if (ids.length === 1 || dropped.length > 0) changes.warn(outcomeText(id, progress, dropped.length))
      // A refusal without a request takes no time: the keys and the screen have their turn all the same.
      await turn()
    }
  }

  #stoppedBy({ stops }: Outcome, from: Decision): readonly Decision[] {
    if (stops === 'decision') return [from]
    return [...this.#decisions].filter(({ act }) => stops === 'all' || act.approve)
  }

  /** Takes decisions back, as far as they are not sent. @returns the orders */
  #drop(decisions: readonly Decision[], why: string): readonly number[] {
    const ids = decisions.flatMap((decision) => decision.drop(why))
    this.#close(ids, { step: 'refused', text: why })
    return ids
  }

  /** Ends a decision after an error of the program, so that the next ones have their turn. */
  #end(decision: Decision, thrown: unknown): void {
    const { sending } = decision
    this.#daemon.fault(thrown)
    if (sending !== undefined) {
      decision.ended(sending)
      this.#close([sending], {
        step: 'in_doubt',
        text: 'the program met an error: the daemon may have decided it',
      })
    }
    this.#drop([decision], FAULT)
  }

  /**
   * Sends the decision on one order. It can be undone until the request goes, also in a pause for the daemon's own limit.
   * @returns undefined if it was taken back, and not sent
   */
  async #send(decision: Decision, id: number): Promise<Outcome | undefined> {
    for (let tries = 1; ; tries += 1) {
      const unready = await this.#unready(decision, id)
      this.#sleep.check()
      if (!decision.isUnsent(id)) return undefined
      const outcome = unready ?? (await this.#requested(decision, id))
      if (!outcome.isOverLimit || tries === MOST_TRIES) {
        decision.ended(id)
        this.#close([id], outcome.progress)
        return outcome
      }
      if (decision.dropped !== undefined) {
        this.#takeBack(decision, id, decision.dropped.why)
        return undefined
      }
      decision.putBack(id)
      this.#set([id], WAITING)
      await decision.pause(RATE_LIMIT_PAUSE_MS)
    }
  }

  /** The rest was taken back while the request of this order went, which the daemon has not looked at. */
  #takeBack(decision: Decision, id: number, why: string | undefined): void {
    decision.ended(id)
    if (why === undefined) {
      this.#set([id], undefined)
      return
    }
    this.#close([id], { step: 'refused', text: why })
    this.#daemon.changes.warn(`Approval ${id}: ${why}`)
  }

  /** Returns why the decision on an order cannot be sent now; undefined if it can, or was taken back. */
  async #unready({ act }: Decision, id: number): Promise<Outcome | undefined> {
    try {
      if (act.approve) await this.#requireWithin(id, act.seen)
    } catch (thrown) {
      return failed(thrown)
    }
    // Those that still wait when the connection breaks are not sent to a daemon that comes back.
    const refusal = this.#daemon.refusal()
    return refusal === undefined ? undefined : notSent(refusal)
  }

  async #requested(decision: Decision, id: number): Promise<Outcome> {
    const { act } = decision
    decision.sent(id)
    this.#set([id], { step: 'sending', text: act.approve ? 'approving …' : 'rejecting …' })
    return this.#request(id, act).catch(failed)
  }

  async #request(id: number, act: Act): Promise<Outcome> {
    const client = this.#daemon.access.client(DECISION_LIMIT_MS)
    const params = { id: String(id) }
    if (act.approve) {
      // Each order changes the positions, and the mode may change, while another one waits for it.
      const body = { expected: expectedIn(act.seen, id) }
      const { execution_error: problem } = await client.request('POST /action-center/approve/:id', {
        params,
        body,
      })
      return problem === undefined ? succeeded('approved') : partly(problem)
    }
    const body = act.reason === '' ? {} : { reason: act.reason }
    await client.request('POST /action-center/reject/:id', { params, body })
    return succeeded('rejected')
  }

  /** @throws Error if an order has left the limits by which it was chosen: prices move while a question is read */
  async #requireWithin(id: number, { rule }: Seen): Promise<void> {
    if (rule?.maxDrift === undefined && rule?.maxValue === undefined) return
    const plan = await readPlan(this.#daemon.reader(), [id]).catch((thrown: unknown) => {
      // Only a read got no answer: nothing is in doubt.
      throw thrown instanceof NoAnswerError ? new Error(`not sent. ${thrown.message}`) : thrown
    })
    const [order] = plan?.orders ?? []
    const why = order && beyondRule(order, rule)
    if (why !== undefined) throw new BeyondRule(`Not approved: ${why}. The order stays pending.`)
  }

  /** Shows how the decision on orders ended. */
  #close(ids: readonly number[], progress: Progress): void {
    if (progress.step !== 'done')
      this.#daemon.failures.push(...ids.map((id) => `Approval ${id}: ${progress.text}`))
    this.#set(ids, progress)
  }

  #set(ids: readonly number[], progress: Progress | undefined): void {
    if (ids.length === 0) return
    const next = new Map(this.progress.get())
    for (const id of ids) {
      if (progress === undefined) next.delete(id)
      else next.set(id, progress)
    }
    this.progress.set(next)
  }
}

/** Returns how the decision on an order ended, and how many others are not sent because of it. */
function outcomeText(id: number, { text }: Progress, others: number): string {
  const said = `Approval ${id}: ${text}`
  return others === 0 ? said : `${said.replace(/\.$/, '')}; ${others} more not sent.`
}

/** Returns what the user saw of an order. */
function expectedIn({ account, plan }: Seen, id: number) {
  const place = { mode: account.analyze_mode ? 'analyze' : 'live', broker: account.broker } as const
  const order = plan?.orders.find((one) => one.id === id)
  return plan && order ? { ...expectedOf(plan, order), ...place } : place
}

/** Returns whether less money is at stake than an amount in rupees: not if a part of it is not known. */
function isBelow(amount: number, { plan }: Seen): boolean {
  const money = plan === undefined ? null : moneyAtStake(plan.orders)
  return money !== null && money < amount
}
