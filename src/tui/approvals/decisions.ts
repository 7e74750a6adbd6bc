import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { NoAnswerError, SvcError } from '../../client/index.js'
import { messageOf } from '../../core/errors/index.js'
import { type ApprovalPlan, expectedOf } from '../../views/approvals/plan.js'
import { type ApprovalRule, beyondRule, orderAtStake } from '../../views/approvals/rule.js'
import type { Account } from '../live/account.js'
import type { LiveDaemon, Sender } from '../live/daemon.js'
import { Store } from '../live/store.js'
import { ApprovalFeed, readPlan } from './feed.js'

/** How far this screen's own decision on an order has come. */
export interface Progress {
  /** `held` can be undone; `waiting` stands in line behind other decisions. */
  step: 'held' | 'waiting' | 'sending' | 'done' | 'refused' | 'in_doubt'
  text: string
}

/** How long a decision can be undone before it is sent. */
export interface UndoWindow {
  /** 0 sends decisions at once. */
  seconds: number
  /** Approvals with less money at stake, in rupees, are sent at once. */
  from: number
}

/** One decision, about one order or several. */
class Decision {
  readonly ids: readonly number[]
  readonly act: Act
  readonly #dropped = new AbortController()

  constructor(ids: readonly number[], act: Act) {
    this.ids = ids
    this.act = act
  }

  /** Takes it back: what is not sent yet is not sent. */
  drop(): void {
    this.#dropped.abort()
  }

  get isDropped(): boolean {
    return this.#dropped.signal.aborted
  }

  /** Resolves when the time is over in which it can be undone, or when it is dropped. */
  async holds(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#dropped.signal }).catch(() => undefined)
  }
}

/** An approved order may wait for its turn within the broker's limits. */
const DECISION_LIMIT_MS = 120_000
const RATE_LIMIT_PAUSE_MS = 1000
const MOST_TRIES = 30
/** The refusals that the next order would meet too, or after which what was shown of it may be wrong. */
const STOPS_ALL: ReadonlySet<string> = new Set([
  'kill_switch',
  'unauthenticated',
  'forbidden',
  'not_as_shown',
])

/** What the user saw before the answer: mode and broker, and each order that is sent if it could be read. */
export interface Seen {
  account: Pick<Account, 'analyze_mode' | 'broker'>
  plan?: ApprovalPlan | undefined
  /** The limits that each order must still keep when its turn comes. */
  rule?: ApprovalRule | undefined
}

/** The daemon approves only what the user has seen. */
type Act = { approve: true; seen: Seen } | { approve: false; reason: string }

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
  /** The decisions of which an order is not sent yet, in their order. */
  readonly #unsent = new Set<Decision>()

  constructor(daemon: LiveDaemon) {
    this.#daemon = daemon
    daemon.addSender(this)
    // They are not sent to a daemon that comes back, or for somebody else who signs in.
    daemon.connection.state.subscribe(() => {
      const refusal = daemon.refusal()
      if (refusal !== undefined) this.#dropAll(refusal)
    })
  }

  /** Returns the commands that show the orders whose decision has been sent, and not answered. */
  unanswered(): readonly string[] {
    return [...this.progress.get()].flatMap(([id, { step }]) =>
      step === 'sending' ? `svc approval show ${id}` : [],
    )
  }

  /** Returns the orders whose decision is not sent yet. */
  unsent(): readonly string[] {
    return [...this.progress.get().keys()].filter((id) => this.#isUnsent(id)).map((id) => `approval ${id}`)
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
    const newest = [...this.#unsent].at(-1)
    if (newest === undefined) return []
    const ids = newest.ids.filter((id) => this.#isUnsent(id))
    this.#unsent.delete(newest)
    newest.drop()
    this.#set(ids, undefined)
    return ids
  }

  /** Returns whether an order may be decided: not while a decision on it is on its way, or made. */
  isFree(id: number): boolean {
    return isFree(this.progress.get().get(id)?.step)
  }

  /** Resolves when no decision waits for an answer; those that can still be undone are sent before. */
  async settled(): Promise<void> {
    let seen: Promise<void> | undefined
    while (seen !== this.#queue) {
      seen = this.#queue
      await seen
    }
  }

  /** Sends nothing more: the program ends. */
  dropUnsent(): void {
    this.#dropAll('not sent. The program ends.')
  }

  #decide(given: readonly number[], act: Act): void {
    const ids = given.filter((id) => this.isFree(id)).sort((one, other) => one - other)
    if (ids.length === 0) return
    const decision = new Decision(ids, act)
    const ms = this.#windowMs(act)
    const verb = act.approve ? 'approved' : 'rejected'
    const text = ms === 0 ? 'waiting' : `${verb} in ${ms / 1000} s, u undoes`
    this.#set(ids, { step: ms === 0 ? 'waiting' : 'held', text })
    this.#unsent.add(decision)
    const over = ms === 0 ? Promise.resolve() : decision.holds(ms)
    this.#queue = this.#queue.then(async () => {
      await over
      await this.#sendAll(decision)
      void this.#daemon.part(ApprovalFeed).refresh()
    })
  }

  /** Returns how long a decision can be undone, in milliseconds. */
  #windowMs(act: Act): number {
    const { from, seconds } = this.undoWindow
    return act.approve && worthOf(act.seen) < from ? 0 : seconds * 1000
  }

  /** Says what became of one order. The list of results says it of several. */
  #sayOutcome([id, ...others]: readonly number[]): void {
    const progress = id === undefined ? undefined : this.progress.get().get(id)
    if (progress !== undefined && others.length === 0)
      this.#daemon.changes.say(`Approval ${id}: ${progress.text}`)
  }

  /** Sends decisions until a refusal that holds for all of them: the rest is not tried. */
  async #sendAll(decision: Decision): Promise<void> {
    const { act, ids } = decision
    if (decision.isDropped) return
    this.#set(ids, { step: 'waiting', text: 'waiting' })
    for (const [index, id] of ids.entries()) {
      if (index === ids.length - 1) this.#unsent.delete(decision)
      const failure = await this.#send(id, act)
      if (failure?.isOfAll) {
        this.#drop(decision, failure.progress.text)
        // What was shown of the others may still be true.
        if (!failure.isOther) this.#dropAll(failure.progress.text)
        break
      }
      if (decision.isDropped) return
      // A refusal without a request takes no time: the keys and the screen have their turn all the same.
      await turn()
    }
    this.#sayOutcome(ids)
  }

  #isUnsent(id: number): boolean {
    const step = this.progress.get().get(id)?.step
    return step === 'held' || step === 'waiting'
  }

  #dropAll(text: string): void {
    for (const decision of [...this.#unsent]) this.#drop(decision, text)
  }

  /** Takes a decision back, as far as it is not sent, and says why. One that is undone has no such order. */
  #drop(decision: Decision, text: string): void {
    const unsent = decision.isDropped ? [] : decision.ids.filter((id) => this.#isUnsent(id))
    this.#unsent.delete(decision)
    decision.drop()
    this.#set(unsent, { step: 'refused', text })
  }

  async #send(id: number, act: Act): Promise<Failure | undefined> {
    this.#set([id], { step: 'sending', text: act.approve ? 'approving …' : 'rejecting …' })
    try {
      await this.#request(id, act)
      this.#set([id], { step: 'done', text: act.approve ? 'approved' : 'rejected' })
      return undefined
    } catch (thrown) {
      const failure = failureOf(thrown)
      this.#set([id], failure.progress)
      return failure
    }
  }

  async #request(id: number, act: Act): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      // Those that still wait when the connection breaks are not sent to a daemon that comes back.
      const refusal = this.#daemon.refusal()
      if (refusal !== undefined) throw new Error(refusal)
      const client = this.#daemon.access.client(DECISION_LIMIT_MS)
      const params = { id: String(id) }
      try {
        if (act.approve) {
          await this.#requireWithin(id, act.seen)
          // Each order changes the positions, and the mode may change, while another one waits for it.
          const body = { expected: expectedIn(act.seen, id) }
          await client.request('POST /action-center/approve/:id', { params, body })
        } else {
          const body = act.reason === '' ? {} : { reason: act.reason }
          await client.request('POST /action-center/reject/:id', { params, body })
        }
        return
      } catch (thrown) {
        // The daemon refused the request itself before it decided anything.
        if (!isOverLimit(thrown) || tries === MOST_TRIES) throw thrown
        await wait(RATE_LIMIT_PAUSE_MS)
      }
    }
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

  #set(ids: readonly number[], progress: Progress | undefined): void {
    const next = new Map(this.progress.get())
    for (const id of ids) {
      if (progress === undefined) next.delete(id)
      else next.set(id, progress)
    }
    this.progress.set(next)
  }
}

/** Returns what the user saw of an order. */
function expectedIn({ account, plan }: Seen, id: number) {
  const place = { mode: account.analyze_mode ? 'analyze' : 'live', broker: account.broker } as const
  const order = plan?.orders.find((one) => one.id === id)
  return plan && order ? { ...expectedOf(plan, order), ...place } : place
}

/** Returns whether a decision is not answered, or not sent. */
function isOnItsWay(step: Progress['step'] | undefined): boolean {
  return step === 'held' || step === 'waiting' || step === 'sending'
}

/**
 * Returns whether an order may be decided: not while a decision is on its way, or made. After a doubt it may, because the
 * daemon decides a pending order once, however often it is asked.
 */
export function isFree(step: Progress['step'] | undefined): boolean {
  return step !== 'done' && !isOnItsWay(step)
}

/** Returns the money at stake with what the user saw, in rupees; without end if a part of it is not known. */
function worthOf({ plan }: Seen): number {
  const stakes = plan?.orders.map((order) => orderAtStake(order) ?? Number.POSITIVE_INFINITY)
  return stakes?.reduce((sum, stake) => sum + stake, 0) ?? Number.POSITIVE_INFINITY
}

/** An answer with `status: warning` is about an approved order, so the order was claimed. */
function isOverLimit(thrown: unknown): boolean {
  return thrown instanceof SvcError && thrown.code === 'rate_limited' && thrown.body.status !== 'warning'
}

interface Failure {
  progress: Progress
  /** True when the next order would be refused for the same reason: no connection, another mode, the kill switch. */
  isOfAll: boolean
  /** True when it is no longer as it was shown, so that those shown with it may not be either. */
  isOther?: boolean
}

class BeyondRule extends Error {}

function failureOf(thrown: unknown): Failure {
  if (thrown instanceof BeyondRule)
    return { progress: { step: 'refused', text: thrown.message }, isOfAll: false }
  if (thrown instanceof NoAnswerError && thrown.sent) {
    const progress: Progress = { step: 'in_doubt', text: 'no answer: the daemon may still decide it' }
    return { progress, isOfAll: true }
  }
  if (!(thrown instanceof SvcError))
    return { progress: { step: 'refused', text: messageOf(thrown) }, isOfAll: true }
  const { error, execution_error: more } = thrown.body
  const reason = [thrown.message, ...new Set([error, more])].filter(
    (part) => typeof part === 'string' && part !== '',
  )
  const step = thrown.code === 'outcome_unknown' ? 'in_doubt' : 'refused'
  return {
    progress: { step, text: reason.join(': ') },
    isOfAll: STOPS_ALL.has(thrown.code ?? ''),
    isOther: thrown.code === 'not_as_shown',
  }
}
