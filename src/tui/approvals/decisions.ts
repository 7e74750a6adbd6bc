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
  step: 'waiting' | 'sending' | 'done' | 'refused' | 'in_doubt'
  text: string
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
interface Seen {
  account: Account
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
  #queue: Promise<void> = Promise.resolve()

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

  /** Resolves when no decision waits for an answer. */
  async settled(): Promise<void> {
    await this.#queue
  }

  #decide(ids: readonly number[], act: Act): void {
    const free = ids.filter((id) => isFree(this.progress.get().get(id))).sort((one, other) => one - other)
    this.#set(free, { step: 'waiting', text: 'waiting' })
    this.#queue = this.#queue.then(async () => {
      await this.#sendAll(free, act)
      void this.#daemon.part(ApprovalFeed).refresh()
    })
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
function isFree(progress: Progress | undefined): boolean {
  return progress?.step !== 'waiting' && progress?.step !== 'sending'
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
