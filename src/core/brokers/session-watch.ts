import { type Clock, istDateTime, type Timer } from '../time/index.js'
import type { BrokerSession } from './broker.js'

/** Why a session ended by itself: its time was over, or the broker refuses it. */
export type SessionEndCause = 'expired' | 'refused'

/** The end of a session that nobody signed out of. Only a new sign-in helps. */
export interface SessionEnd {
  cause: SessionEndCause
  /** What happened, as a sentence. */
  message: string
  /** Epoch milliseconds. */
  at: number
}

/** The state of the session at the active broker. */
export interface SessionStatus {
  broker: string
  state: 'signed_in' | SessionEndCause | 'signed_out'
  /** What ended it; undefined for the other states. */
  reason: string | undefined
  /** Since when it is in this state, and when a session ends. Epoch milliseconds. */
  since: number | undefined
  until: number | undefined
  /** What a person must do now. */
  nextStep: string | undefined
}

export const SIGN_IN = 'svc broker login'

/** Steps of the machine's clock are noticed within this time. */
const LOOK_MS = 60_000

/** Returns the end of a session at its own hour. */
export function expiryOf(at: number): SessionEnd {
  return { cause: 'expired', message: `It expired at ${istDateTime(at)} IST.`, at }
}

/** Follows one session: whether it has ended, and the hour at which it will. */
export class SessionWatch {
  #end: SessionEnd | undefined
  #timer: Timer | undefined

  constructor(private readonly clock: Pick<Clock, 'now' | 'setTimeout' | 'clear'>) {}

  /** How the session ended; undefined while one is valid, and after a sign-out. */
  get end(): SessionEnd | undefined {
    return this.#end
  }

  /** Follows a session that begins. `onExpired` is called at its hour, unless it ends before. */
  begin({ expiresAt }: BrokerSession, onExpired: (end: SessionEnd) => void): void {
    this.clear()
    if (expiresAt !== undefined) this.#waitFor(expiresAt, () => onExpired(expiryOf(expiresAt)))
  }

  /** Notes the end of the session. */
  note(end: SessionEnd): void {
    this.clear()
    this.#end = end
  }

  /** Forgets the session: somebody signed out, or another broker is active. */
  clear(): void {
    this.clock.clear(this.#timer)
    this.#timer = undefined
    this.#end = undefined
  }

  /** Waits for a time of day in short steps, because the clock may be set meanwhile. */
  #waitFor(instant: number, then: () => void): void {
    const left = instant - this.clock.now()
    this.#timer = this.clock.setTimeout(
      () => (instant <= this.clock.now() ? then() : this.#waitFor(instant, then)),
      Math.max(0, Math.min(left, LOOK_MS)),
    )
  }
}
