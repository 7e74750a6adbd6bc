import { type Clock, istDateTime, MINUTE_MS, type Timer } from '../../time/index.js'
import type { BrokerSession } from '../auth.js'

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

/**
 * The state of a session. While it is `signed_in` or `expires_soon` orders are sent. While it is `ip_not_allowed` the broker
 * has refused the last order call because of the address it came from: reads go on, and orders are still tried, because only
 * the broker knows when the address is registered. In the other states nothing is sent.
 */
export const SESSION_STATES = [
  'signed_in',
  'expires_soon',
  'ip_not_allowed',
  'expired',
  'refused',
  'signed_out',
] as const
export type SessionState = (typeof SESSION_STATES)[number]

/** The state of the session at the active broker. */
export interface SessionStatus {
  broker: string
  state: SessionState
  /** What is wrong or will be; undefined while signed in, and after a sign-out. */
  reason: string | undefined
  /** Since when it is in this state, and when a session ends. Epoch milliseconds. */
  since: number | undefined
  until: number | undefined
  /** What a person must do now. */
  nextStep: string | undefined
}

export const SIGN_IN = 'svc broker login'

/** Steps of the machine's clock are noticed within this time. */
const LOOK_MS = MINUTE_MS
/** The pause before the next attempt to renew a session. */
const AGAIN_MS = MINUTE_MS
/** A session in its last minutes says so: a sign-in needs a person. */
const SOON_MS = 30 * MINUTE_MS

/** Returns the end of a session at its own hour. */
export function expiryOf(at: number): SessionEnd {
  return { cause: 'expired', message: `It expired at ${istDateTime(at)} IST.`, at }
}

/** Returns whether there is a session: orders are sent, or at least tried. */
export function hasSession(state: SessionState): boolean {
  return state === 'signed_in' || state === 'expires_soon' || state === 'ip_not_allowed'
}

/** Called at the hours of a session. */
interface SessionHours {
  onSoon(): void
  onExpired(end: SessionEnd): void
}

/** The facts of a session in one of its states. */
type SessionFacts = Pick<SessionStatus, 'state' | 'reason' | 'since' | 'until' | 'nextStep'>

/** Follows one session: whether it has ended, the hours ahead of it, and whether the broker refuses its address. */
export class SessionWatch {
  #session: Pick<BrokerSession, 'issuedAt' | 'expiresAt'> | undefined
  #end: SessionEnd | undefined
  #addressRefusal: { message: string; at: number } | undefined
  #timer: Timer | undefined

  constructor(private readonly clock: Pick<Clock, 'now' | 'setTimeout' | 'clear'>) {}

  /** How the session ended; undefined while one is valid, and after a sign-out. */
  get end(): SessionEnd | undefined {
    return this.#end
  }

  /**
   * Follows a session that begins. `onSoon` is called once in its last half hour, `onExpired` at its hour, unless it ends
   * before. A session that begins in its last half hour gets no `onSoon`.
   */
  begin(session: Pick<BrokerSession, 'issuedAt' | 'expiresAt'>, hours: SessionHours): void {
    this.clear()
    this.#session = session
    const { expiresAt } = session
    if (expiresAt === undefined) return
    const expire = () => this.#waitFor(expiresAt, () => hours.onExpired(expiryOf(expiresAt)))
    if (this.clock.now() >= expiresAt - SOON_MS) {
      expire()
      return
    }
    this.#waitFor(expiresAt - SOON_MS, () => {
      expire()
      // A clock that was set over the whole half hour has ended the session.
      if (this.clock.now() < expiresAt) hours.onSoon()
    })
  }

  /** Notes that the broker refused an order call because of its address. @returns whether that is new */
  noteAddressRefusal(message: string): boolean {
    if (this.#session === undefined) return false
    const isNew = this.#addressRefusal === undefined
    this.#addressRefusal = { message, at: this.#addressRefusal?.at ?? this.clock.now() }
    return isNew
  }

  /** Notes that the broker took an order call. @returns whether it refused the address before */
  noteOrderServed(): boolean {
    const wasRefused = this.#addressRefusal !== undefined
    this.#addressRefusal = undefined
    return wasRefused
  }

  /** Notes the end of the session. */
  note(end: SessionEnd): void {
    this.clear()
    this.#end = end
  }

  /** Calls `then` in a minute, or after a longer wait, if the state of the session does not change meanwhile. */
  later(waitMs: number, then: () => void): void {
    this.clock.clear(this.#timer)
    this.#timer = this.clock.setTimeout(then, Math.max(AGAIN_MS, waitMs))
  }

  /** Forgets the session: somebody signed out, or another broker is active. */
  clear(): void {
    this.clock.clear(this.#timer)
    this.#timer = undefined
    this.#session = undefined
    this.#end = undefined
    this.#addressRefusal = undefined
  }

  /** Returns the state of the session at a broker of this name. */
  facts(brokerName: string): SessionFacts {
    const session = this.#session
    if (session === undefined) return this.#factsOfNone()
    const { expiresAt: until, issuedAt } = session
    if (this.#addressRefusal) {
      const { at, message } = this.#addressRefusal
      return { state: 'ip_not_allowed', reason: message, since: at, until, nextStep: registerAt(brokerName) }
    }
    if (until === undefined || this.clock.now() < until - SOON_MS) {
      return { state: 'signed_in', reason: undefined, since: issuedAt, until, nextStep: undefined }
    }
    const reason = `It ends at ${istDateTime(until)} IST.`
    const since = Math.max(issuedAt, until - SOON_MS)
    return { state: 'expires_soon', reason, since, until, nextStep: SIGN_IN }
  }

  #factsOfNone(): SessionFacts {
    const end = this.#end
    const state = end?.cause ?? 'signed_out'
    return { state, reason: end?.message, since: end?.at, until: undefined, nextStep: SIGN_IN }
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

/** What to do about a refused address. Nothing is cached here: the next order shows whether the broker knows it. */
function registerAt(brokerName: string): string {
  return `register the public address of this machine with your app at ${brokerName}, or run svc at the registered one; then send the order again`
}
