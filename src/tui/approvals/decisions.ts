import { setTimeout as wait } from 'node:timers/promises'
import { NoAnswerError, SvcError } from '../../client/index.js'
import type { DaemonAccess } from '../live/live-feed.js'

/** How far this screen's own decision on an order has come. */
export interface Progress {
  step: 'waiting' | 'sending' | 'done' | 'refused' | 'in_doubt'
  text: string
}

/** An approved order may wait for its turn within the broker's limits. */
const DECISION_LIMIT_MS = 120_000
const RATE_LIMIT_PAUSE_MS = 1000
const MOST_TRIES = 30

type Act = { approve: true } | { approve: false; reason: string }

/**
 * The decisions made on this screen. They are sent one after the other, oldest order first. None is repeated
 * by itself: one that got no answer is shown as in doubt.
 */
export class Decisions {
  readonly #daemon: DaemonAccess
  readonly #onDecided: () => void
  readonly #listeners = new Set<() => void>()
  #progress: ReadonlyMap<number, Progress> = new Map()
  #queue: Promise<void> = Promise.resolve()

  /** `onDecided` is called after each answer. */
  constructor(daemon: DaemonAccess, onDecided: () => void) {
    this.#daemon = daemon
    this.#onDecided = onDecided
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly progress = (): ReadonlyMap<number, Progress> => this.#progress

  /** The orders whose decision has been sent, and not answered. */
  unanswered(): readonly number[] {
    return [...this.#progress].flatMap(([id, { step }]) => (step === 'sending' ? id : []))
  }

  approve(ids: readonly number[]): void {
    this.#decide(ids, { approve: true })
  }

  reject(ids: readonly number[], reason: string): void {
    this.#decide(ids, { approve: false, reason })
  }

  /** Resolves when no decision waits for an answer. */
  async settled(): Promise<void> {
    await this.#queue
  }

  #decide(ids: readonly number[], act: Act): void {
    const free = ids.filter((id) => isFree(this.#progress.get(id))).sort((one, other) => one - other)
    for (const id of free) this.#set(id, { step: 'waiting', text: 'waiting' })
    this.#queue = this.#queue.then(async () => {
      for (const id of free) await this.#send(id, act)
    })
  }

  async #send(id: number, act: Act): Promise<void> {
    this.#set(id, { step: 'sending', text: act.approve ? 'approving …' : 'rejecting …' })
    try {
      await this.#request(id, act)
      this.#set(id, { step: 'done', text: act.approve ? 'approved' : 'rejected' })
    } catch (thrown) {
      this.#set(id, failureOf(thrown))
    }
    this.#onDecided()
  }

  async #request(id: number, act: Act): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const client = this.#daemon.client(DECISION_LIMIT_MS)
      const params = { id: String(id) }
      try {
        if (act.approve) await client.request('POST /action-center/approve/:id', { params })
        else {
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

  #set(id: number, progress: Progress): void {
    this.#progress = new Map(this.#progress).set(id, progress)
    for (const listener of this.#listeners) listener()
  }
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

function failureOf(thrown: unknown): Progress {
  if (thrown instanceof NoAnswerError && thrown.sent) {
    return { step: 'in_doubt', text: 'no answer: the daemon may still decide it' }
  }
  if (thrown instanceof SvcError) {
    const { error, execution_error: more } = thrown.body
    const reason = [thrown.message, ...new Set([error, more])].filter(
      (part) => typeof part === 'string' && part !== '',
    )
    const step = thrown.code === 'outcome_unknown' ? 'in_doubt' : 'refused'
    return { step, text: reason.join(': ') }
  }
  return { step: 'refused', text: thrown instanceof Error ? thrown.message : String(thrown) }
}
