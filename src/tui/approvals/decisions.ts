import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { NoAnswerError, SvcError } from '../../client/index.js'
import { messageOf } from '../../core/errors/index.js'
import { type ApprovalPlan, expectedOf } from '../../views/approvals/plan.js'
import type { Account } from '../live/account.js'
import type { LiveDaemon, Sender } from '../live/daemon.js'
import { Store } from '../live/store.js'
import { ApprovalFeed } from './feed.js'

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
  /** Approvals of a smaller value, in rupees, are sent at once. */
  from: number
}

/** A decision that can still be undone. */
class Held {
  readonly ids: readonly number[]
  readonly #undone = new AbortController()

  constructor(ids: readonly number[]) {
    this.ids = ids
  }

  undo(): void {
    this.#undone.abort()
  }

  /** Waits as long as it can be undone. @returns false if it was */
  stands(ms: number): Promise<boolean> {
    return wait(ms, true, { signal: this.#undone.signal }).catch(() => false)
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
  /** In the order of the decisions. */
  readonly #held = new Set<Held>()

  constructor(daemon: LiveDaemon) {
    this.#daemon = daemon
    daemon.addSender(this)
  }

  /** Returns the commands that show the orders whose decision has been sent, and not answered. */
  unanswered(): readonly string[] {
    return [...this.progress.get()].flatMap(([id, { step }]) =>
      step === 'sending' ? `svc approval show ${id}` : [],
    )
  }

  approve(ids: readonly number[], seen: Seen): void {
    this.#decide(ids, { approve: true, seen })
  }

  reject(ids: readonly number[], reason: string): void {
    this.#decide(ids, { approve: false, reason })
  }

  /** Drops the newest decision that is not sent yet. @returns its orders; none if there is no such decision */
  undo(): readonly number[] {
    const newest = [...this.#held].at(-1)
    newest?.undo()
    return newest?.ids ?? []
  }

  /** Returns whether an order may be decided: no decision on it is on its way. */
  isFree(id: number): boolean {
    return isFree(this.progress.get().get(id)?.step)
  }

  /** Resolves when no decision waits for an answer; one that can still be undone is sent before. */
  async settled(): Promise<void> {
    await this.#queue
  }

  #decide(ids: readonly number[], act: Act): void {
    const free = ids.filter((id) => this.isFree(id)).sort((one, other) => one - other)
    if (free.length === 0) return
    const isSent = this.#window(free, act)
    this.#queue = this.#queue.then(async () => {
      if (!(await isSent)) return
      await this.#sendAll(free, act)
      this.#sayOutcome(free)
      void this.#daemon.part(ApprovalFeed).refresh()
    })
  }

  /** Holds a decision as long as it can be undone. @returns whether it is to be sent */
  async #window(ids: readonly number[], act: Act): Promise<boolean> {
    const { from, seconds } = this.undoWindow
    if (seconds === 0 || (act.approve && worthOf(act.seen) < from)) {
      this.#set(ids, { step: 'waiting', text: 'waiting' })
      return true
    }
    const verb = act.approve ? 'approved' : 'rejected'
    this.#set(ids, { step: 'held', text: `${verb} in ${seconds} s, u undoes` })
    const held = new Held(ids)
    this.#held.add(held)
    const isSent = await held.stands(seconds * 1000)
    this.#held.delete(held)
    if (isSent) this.#set(ids, { step: 'waiting', text: 'waiting' })
    else this.#forget(ids)
    return isSent
  }

  /** Says what became of one order. The list of results says it of several. */
  #sayOutcome([id, ...others]: readonly number[]): void {
    const progress = id === undefined ? undefined : this.progress.get().get(id)
    if (progress !== undefined && others.length === 0)
      this.#daemon.changes.say(`Approval ${id}: ${progress.text}`)
  }

  /** Sends decisions until a refusal that holds for all of them: the rest is not tried. */
  async #sendAll(ids: readonly number[], act: Act): Promise<void> {
    for (const [index, id] of ids.entries()) {
      const failure = await this.#send(id, act)
      if (failure?.isOfAll)
        return this.#set(ids.slice(index + 1), { step: 'refused', text: failure.progress.text })
      // A refusal without a request takes no time: the keys and the screen have their turn all the same.
      await turn()
    }
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

  #forget(ids: readonly number[]): void {
    const next = new Map(this.progress.get())
    for (const id of ids) next.delete(id)
    this.progress.set(next)
  }

  #set(ids: readonly number[], progress: Progress): void {
    const next = new Map(this.progress.get())
    for (const id of ids) next.set(id, progress)
    this.progress.set(next)
  }
}

/** Returns what the user saw of an order. */
function expectedIn({ account, plan }: Seen, id: number) {
  const place = { mode: account.analyze_mode ? 'analyze' : 'live', broker: account.broker } as const
  const order = plan?.orders.find((one) => one.id === id)
  return plan && order ? { ...expectedOf(plan, order), ...place } : place
}

/**
 * Returns whether an order may be decided: not while a decision is on its way. After a doubt it may, because the
 * daemon decides a pending order once, however often it is asked.
 */
export function isFree(step: Progress['step'] | undefined): boolean {
  return step !== 'held' && step !== 'waiting' && step !== 'sending'
}

/** Returns the value of what the user saw, in rupees; without end if a part of it is not known. */
function worthOf({ plan }: Seen): number {
  const values = plan?.orders.map(({ value }) => value ?? Number.POSITIVE_INFINITY)
  return values?.reduce((sum, value) => sum + value, 0) ?? Number.POSITIVE_INFINITY
}

/** An answer with `status: warning` is about an approved order, so the order was claimed. */
function isOverLimit(thrown: unknown): boolean {
  return thrown instanceof SvcError && thrown.code === 'rate_limited' && thrown.body.status !== 'warning'
}

interface Failure {
  progress: Progress
  /** True when the next order would be refused for the same reason: no connection, another mode, the kill switch. */
  isOfAll: boolean
}

function failureOf(thrown: unknown): Failure {
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
  return { progress: { step, text: reason.join(': ') }, isOfAll: STOPS_ALL.has(thrown.code ?? '') }
}
