import { setTimeout as wait } from 'node:timers/promises'
import type { ApprovalPlan } from '../../views/approvals/plan.js'
import type { ApprovalRule } from '../../views/approvals/rule.js'
import type { Account } from '../live/account.js'

/** How far this screen's own decision on an order has come. */
export interface Progress {
  /**
   * `held` can be undone; `waiting` stands in line behind other decisions. What is `failed` or `partial` is approved, and was not
   * executed, or in part.
   */
  step: 'held' | 'waiting' | 'sending' | 'done' | 'failed' | 'partial' | 'refused' | 'in_doubt'
  text: string
}

/** What the user saw before the answer: mode and broker, and each order that is sent if it could be read. */
export interface Seen {
  account: Pick<Account, 'analyze_mode' | 'broker'>
  plan?: ApprovalPlan | undefined
  /** The limits that each order must still keep when its turn comes. */
  rule?: ApprovalRule | undefined
}

/** The daemon approves only what the user has seen. */
export type Act = { approve: true; seen: Seen } | { approve: false; reason: string }

/** One decision, about one order or several. */
export class Decision {
  readonly ids: readonly number[]
  readonly act: Act
  readonly #unsent: Set<number>
  readonly #ended = new AbortController()
  #sending: number | undefined
  #dropped: { why: string | undefined } | undefined

  constructor(ids: readonly number[], act: Act) {
    this.ids = ids
    this.act = act
    this.#unsent = new Set(ids)
  }

  /** The orders that are not sent yet. An order that is decided again belongs to the newer decision, and is none of them. */
  get unsent(): readonly number[] {
    return this.ids.filter((id) => this.#unsent.has(id))
  }

  /** The order whose answer has not come yet. */
  get sending(): number | undefined {
    return this.#sending
  }

  /** Why it was taken back; no reason if the user has undone it. Undefined while it holds. */
  get dropped(): { why: string | undefined } | undefined {
    return this.#dropped
  }

  isUnsent(id: number): boolean {
    return this.#unsent.has(id)
  }

  /** Takes it back: what is not sent yet is not sent. @returns the orders that it is about */
  drop(why: string | undefined): readonly number[] {
    const { unsent } = this
    this.#unsent.clear()
    this.#dropped ??= { why }
    this.#ended.abort()
    return unsent
  }

  /** Notes that the request for an order goes. */
  sent(id: number): void {
    this.#unsent.delete(id)
    this.#sending = id
  }

  /** Notes the end of an order: its answer, or why nothing was sent. */
  ended(id: number): void {
    this.#unsent.delete(id)
    this.#sending = undefined
  }

  /** Notes that an order is to be sent once more, because the daemon did not look at it. */
  putBack(id: number): void {
    this.#sending = undefined
    this.#unsent.add(id)
  }

  /** Resolves when a time is over, or when it is dropped. */
  async pause(ms: number): Promise<void> {
    await wait(ms, undefined, { signal: this.#ended.signal }).catch(() => undefined)
  }
}

/**
 * Returns whether an order may be decided: not while a decision is on its way, or made. After a doubt it may, because the
 * daemon decides a pending order once, however often it is asked.
 */
export function isFree(step: Progress['step'] | undefined): boolean {
  return step === undefined || step === 'refused' || step === 'in_doubt'
}
