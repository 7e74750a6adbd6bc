import { ServiceError } from '../../errors/index.js'
import { randomToken, type SecretBox, safeEqual } from '../../secrets/index.js'
import { type Clock, MINUTE_MS, type Timer } from '../../time/index.js'
import type { CredentialValues } from '../auth.js'
import { SIGN_IN } from '../session/session-watch.js'

/** A person signs in at the broker's page within this time. */
const LIFETIME_MS = 10 * MINUTE_MS
/** The outcome of a sign-in can be read for this long after its time is over. */
const KEPT_MS = 10 * MINUTE_MS
/** The sign-ins that may wait at the same time, as browser tabs. Beyond that, the oldest one ends. */
const MOST_WAITING = 8
const PURPOSE = 'broker-sign-in'
const ID_BYTES = 16

/** Where a sign-in is that somebody began: it ends once, as `signed_in`, `refused` or `expired`. */
export type SignInStage = 'waiting' | 'completing' | 'signed_in' | 'refused' | 'expired'

/** A sign-in as the person who began it may see it. */
export interface SignInProgress {
  id: string
  broker: string
  stage: SignInStage
  /** Why it was refused; undefined otherwise. */
  reason: string | undefined
  /** When its address stops working. Epoch milliseconds. */
  expiresAt: number
}

/** A sign-in whose callback has come, with what its beginner typed. */
export interface TakenSignIn {
  id: string
  user: string
  fields: CredentialValues
}

interface Begun extends SignInProgress {
  user: string
  /** Forgotten once the callback has come or the time is over. They are in memory only. */
  fields: CredentialValues | undefined
  timer: Timer | undefined
}

/**
 * The sign-ins that were begun here and whose callback has not come yet. The broker sends a browser back with nothing but
 * the `state` that we gave it, so the state alone proves that the callback belongs to a sign-in of this service: it is
 * signed with a key of the home, names broker and user, lives ten minutes, and works once.
 */
export class SignIns {
  readonly #begun = new Map<string, Begun>()

  constructor(
    private readonly clock: Pick<Clock, 'now' | 'setTimeout' | 'clear'>,
    private readonly secrets: Pick<SecretBox, 'mac'>,
  ) {}

  /** Begins a sign-in. The fields stay in memory until its callback comes. */
  begin(broker: string, user: string, fields: CredentialValues): SignInProgress & { state: string } {
    this.#makeRoom()
    const id = randomToken(ID_BYTES)
    const expiresAt = this.clock.now() + LIFETIME_MS
    const begun: Begun = {
      id,
      broker,
      user,
      fields,
      expiresAt,
      stage: 'waiting',
      reason: undefined,
      timer: undefined,
    }
    begun.timer = this.clock.setTimeout(() => this.#expire(begun), LIFETIME_MS)
    this.#begun.set(id, begun)
    return { ...progressOf(begun), state: this.#stateOf(begun) }
  }

  /**
   * Takes the sign-in that a callback belongs to. It can be taken once, whatever becomes of it.
   * @throws ServiceError `forbidden` for a state that is not ours, is for another broker, was used, or is too old; the text says
   * what to do
   */
  take(broker: string, state: string): TakenSignIn {
    const [id = '', time = ''] = state.split('.')
    const begun = this.#begun.get(id)
    if (!this.#isOurs(broker, state)) {
      throw refused('This address does not belong to a sign-in that was begun here.')
    }
    if (this.clock.now() >= Number.parseInt(time, 36)) {
      throw refused('This sign-in is older than ten minutes.')
    }
    if (begun === undefined) throw refused('The service was restarted since this sign-in began.')
    const { fields, user } = begun
    if (begun.stage !== 'waiting' || fields === undefined)
      throw refused('This sign-in was used already, or newer ones took its place.')
    if (!safeEqual(state, this.#stateOf(begun))) {
      throw refused('This address does not belong to a sign-in that was begun here.')
    }
    begun.stage = 'completing'
    this.#forget(begun)
    return { id, user, fields }
  }

  /** Notes how a taken sign-in ended. */
  end(id: string, stage: 'signed_in' | 'refused', reason?: string): void {
    const begun = this.#begun.get(id)
    if (begun) Object.assign(begun, { stage, reason })
  }

  /** Returns where a sign-in of this user is; undefined if they began none of this id. */
  progress(id: string, user: string): SignInProgress | undefined {
    const begun = this.#begun.get(id)
    return begun?.user === user ? progressOf(begun) : undefined
  }

  /** Forgets everything. */
  close(): void {
    for (const begun of this.#begun.values()) this.#forget(begun)
    this.#begun.clear()
  }

  /** The signature covers broker, user, id and time; `who` lets it be checked without the sign-in itself. */
  #stateOf({ broker, expiresAt, id, user }: Begun): string {
    const who = this.secrets.mac(`${PURPOSE}-user`, user)
    const facts = `${id}.${expiresAt.toString(36)}.${who}`
    return `${facts}.${this.secrets.mac(PURPOSE, `${broker}\0${facts}`)}`
  }

  #isOurs(broker: string, state: string): boolean {
    const dot = state.lastIndexOf('.')
    const facts = state.slice(0, Math.max(0, dot))
    return safeEqual(state.slice(dot + 1), this.secrets.mac(PURPOSE, `${broker}\0${facts}`))
  }

  #expire(begun: Begun): void {
    this.#forget(begun)
    if (begun.stage === 'waiting') begun.stage = 'expired'
  }

  #forget(begun: Begun): void {
    this.clock.clear(begun.timer)
    begun.timer = undefined
    begun.fields = undefined
  }

  #makeRoom(): void {
    const now = this.clock.now()
    for (const begun of this.#begun.values()) {
      if (begun.expiresAt + KEPT_MS > now) continue
      this.#forget(begun)
      this.#begun.delete(begun.id)
    }
    const waiting = [...this.#begun.values()].filter(({ stage }) => stage === 'waiting')
    const [oldest] = waiting
    if (oldest && waiting.length >= MOST_WAITING) this.#expire(oldest)
  }
}

function progressOf({ broker, expiresAt, id, reason, stage }: Begun): SignInProgress {
  return { id, broker, stage, reason, expiresAt }
}

function refused(what: string): ServiceError {
  return new ServiceError('forbidden', `${what} Begin again: ${SIGN_IN}`)
}
