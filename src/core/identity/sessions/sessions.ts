import { ServiceError } from '../../errors/index.js'
import { randomToken, type SecretBox, safeEqual, sha256Hex } from '../../secrets/index.js'
import { SerialQueue } from '../../storage/index.js'
import {
  type Clock,
  DAY_MS,
  istDate,
  istTime,
  nextRollover,
  parseTimeOfDay,
  readingOf,
  type Timer,
} from '../../time/index.js'
import type { Device, Principal, Revocation, RevocationReason, Session, SessionView } from '../schema.js'
import type { IdentityStore, LastUse, SessionRow } from '../store.js'
import { storeCredentialEnd } from './store-credential-end.js'

const TOKEN_BYTES = 32
/** A token has 43 characters; a much longer one is not worth a digest. */
const MAX_TOKEN_LENGTH = 128
/** Sessions a user may have at a time; one more ends the oldest. */
const MAX_SESSIONS = 5
/** The lifetime of a session when the daily expiry is switched off. */
const LONGEST_MS = 365 * DAY_MS
/** A session that is unused for this long ends. It matters only when the daily expiry is switched off. */
const IDLE_MS = 7 * DAY_MS

/** The longest delay of a timer; a later end takes several timers. */
const LONGEST_WAIT_MS = 20 * DAY_MS

type Live = { -readonly [Field in keyof Session]: Session[Field] } & {
  writtenLastSeen: number
  /** The monotonic reading of `lastSeen`. */
  seenReading: number
}

interface SessionsParts {
  store: IdentityStore
  secretBox: SecretBox
  clock: Clock
  /** SESSION_EXPIRY_TIME: `HH:MM` in IST. */
  expiryTime: string
  /** DISABLE_SESSION_EXPIRY: sessions then last a year. */
  disableExpiry: boolean
  onRevoked: (revocation: Revocation) => void
  /** Called with a user whose sessions changed, once for all changes at the same time. */
  onChanged: (username: string) => void
}

/**
 * Signed-in sessions, kept on the server and in memory: a check costs one SHA-256 and a map lookup. A session
 * ends at the next daily expiry (by default 03:00 IST), when it is revoked, or when a newer session exceeds
 * the user's limit.
 */
export class Sessions {
  readonly #parts: SessionsParts
  readonly #live = new Map<string, Live>()
  /**
   * Sessions, with their users, that ended in memory but not yet in the store: a restart would restore them.
   */
  readonly #unwritten = new Map<string, string>()
  readonly #changes = new SerialQueue()
  readonly #generations = new Map<string, number>()
  /** The timer for the first session to end. */
  #alarm: Timer | undefined

  private constructor(parts: SessionsParts) {
    this.#parts = parts
  }

  /** Loads the sessions. @throws Error when the expiry time is not a time of day: sessions would never end */
  static async open(parts: SessionsParts): Promise<Sessions> {
    if (parseTimeOfDay(parts.expiryTime) === undefined) {
      throw new Error(`SESSION_EXPIRY_TIME must be HH:MM, was "${parts.expiryTime}"`)
    }
    const sessions = new Sessions(parts)
    for (const row of await parts.store.sessions(parts.clock.now())) sessions.#add(row)
    sessions.#setAlarm()
    return sessions
  }

  /**
   * Creates a session for a user whose credentials were verified. Its token is returned only here.
   * @param totpVerifiedAt when the user entered an authenticator code; null without one
   * @param generation the {@link generation} before the password was checked
   * @throws ServiceError `unauthenticated` when the password or the second factor was replaced since
   */
  create(
    username: string,
    device: Device,
    totpVerifiedAt: number | null = null,
    generation: number = this.generation(username),
  ): Promise<{ token: string; csrfToken: string; session: Session }> {
    return this.#changes.run(async () => {
      if (generation !== this.generation(username)) throw replaced()
      const now = this.#parts.clock.now()
      const token = randomToken(TOKEN_BYTES)
      const row = {
        username,
        sessionId: sha256Hex(token),
        deviceInfo: device.deviceInfo?.slice(0, 500) ?? null,
        ipAddress: device.ipAddress?.slice(0, 45) ?? null,
        broker: null,
        loginTime: now,
        lastSeen: now,
        expiresAt: this.#endOf(now),
        totpVerifiedAt,
        authenticatedAt: now,
      }
      const evicted = await this.#parts.store.addSession(row, MAX_SESSIONS)
      const session = this.#add(row)
      this.#drop(evicted, 'evicted')
      this.#setAlarm()
      for (const id of evicted) this.#unwritten.delete(id)
      this.#parts.onChanged(username)
      return { token, csrfToken: this.csrfToken(session), session }
    })
  }

  /** Returns the session of a token, or undefined when it is unknown or over. Marks the session as seen. */
  verify(token: string): Session | undefined {
    if (token.length > MAX_TOKEN_LENGTH) return undefined
    const session = this.#live.get(sha256Hex(token))
    if (!session) return undefined
    const { clock } = this.#parts
    if (isOver(session, clock)) return undefined
    session.lastSeen = clock.now()
    session.seenReading = clock.monotonic()
    return session
  }

  /** Returns whether the session with an id has not ended. It does not mark the session as seen. */
  isLive(id: string): boolean {
    const session = this.#live.get(id)
    return session !== undefined && !isOver(session, this.#parts.clock)
  }

  /** Notes when the session's user entered a valid authenticator code. The caller has stored it. */
  noteTotp(id: string, at: number): void {
    const session = this.#live.get(id)
    if (session) Object.assign(session, { totpVerifiedAt: at, codeReading: this.#parts.clock.monotonic() })
  }

  /**
   * Notes that the session's user has just proved who they are, and returns the time. A session that has ended
   * stays ended.
   * @param generation the {@link generation} before the password was checked
   * @throws ServiceError `unauthenticated` when the session has ended, or the password or the second factor was replaced since
   */
  noteAuthentication(id: string, generation: number): Promise<number> {
    return this.#changes.run(async () => {
      const session = this.#live.get(id)
      if (!session) throw new ServiceError('unauthenticated', 'The session has ended. Please sign in again.')
      if (generation !== this.generation(session.username)) throw replaced()
      const at = this.#parts.clock.now()
      await this.#parts.store.setAuthenticated(id, at)
      session.authenticatedAt = at
      session.proofReading = this.#parts.clock.monotonic()
      return at
    })
  }

  /** Returns the token that unsafe requests of this session must carry besides its cookie. */
  csrfToken(session: Session): string {
    return this.#parts.secretBox.mac('csrf', session.id)
  }

  csrfMatches(session: Session, token: string): boolean {
    return safeEqual(this.csrfToken(session), token)
  }

  /** Returns the user's live sessions, the last seen first. */
  list(username: string): SessionView[] {
    return [...this.#live.values()]
      .filter((session) => session.username === username && !isOver(session, this.#parts.clock))
      .sort((a, b) => b.lastSeen - a.lastSeen || b.loginTime - a.loginTime)
      .map(viewOf)
  }

  /**
   * Ends one of the user's sessions by its id; returns false when it does not exist. The session is invalid
   * before the promise settles, even when its end could not be stored; a second call stores it.
   * @throws ServiceError `unavailable`, `storage_full` when the session ended but a restart would restore it
   */
  async revoke(username: string, id: string, reason: 'logout' | 'revoked' = 'revoked'): Promise<boolean> {
    return this.#changes.run(async () => {
      const owner = this.#live.get(id)?.username ?? this.#unwritten.get(id)
      if (owner !== username) return false
      this.#end([id], reason)
      await storeCredentialEnd('The session has ended', () => this.#writeEnded())
      return true
    })
  }

  /**
   * Ends the sessions of all users.
   * @throws ServiceError `unavailable`, `storage_full` when they have ended but a restart would restore them
   */
  revokeAll(): Promise<void> {
    return this.#changes.run(async () => {
      this.#end([...this.#live.keys()], 'revoked')
      await storeCredentialEnd('The sessions have ended', () => this.#writeEnded())
    })
  }

  /**
   * Returns a number that grows when the user's password or the secret of the second factor is replaced. A restart ends
   * every sign-in in progress.
   */
  generation(username: string): number {
    return this.#generations.get(username) ?? 0
  }

  /**
   * Ends all sessions of a user together with a new password or a new secret of the second factor. No sign-in with the
   * old one, even one in progress, has a session afterwards.
   * @param replace stores the new one and deletes the sessions in one transaction; false when it did neither
   * @param keptId the session that stays
   * @returns what `replace` returned
   */
  endAllWith(
    username: string,
    reason: 'password_changed' | 'password_reset' | 'second_factor_changed',
    replace: () => Promise<boolean>,
    keptId?: string,
  ): Promise<boolean> {
    return this.#changes.run(async () => {
      if (!(await replace())) return false
      this.#generations.set(username, this.generation(username) + 1)
      const ids = [...this.#live.values()].flatMap((session) =>
        session.username === username && session.id !== keptId ? session.id : [],
      )
      this.#drop(ids, reason)
      for (const [id, owner] of this.#unwritten) if (owner === username) this.#unwritten.delete(id)
      this.#parts.onChanged(username)
      return true
    })
  }

  /**
   * Stores the end of this token's session if an earlier attempt failed; returns false when nothing is
   * pending.
   */
  async settleEndOf(token: string): Promise<boolean> {
    const id = token.length > MAX_TOKEN_LENGTH ? '' : sha256Hex(token)
    const username = this.#unwritten.get(id)
    return username !== undefined && this.revoke(username, id)
  }

  /**
   * Ends expired sessions, so that their connections are closed, and stores the ends that failed to be
   * stored.
   */
  async sweep(): Promise<void> {
    await this.#changes.run(async () => {
      this.#endOver()
      await this.#writeEnded()
    })
  }

  /** Stops the timer: from now on sessions do not end automatically. */
  stop(): void {
    this.#parts.clock.clear(this.#alarm)
  }

  /** Stores the ends that failed to be stored before. */
  settle(): Promise<void> {
    return this.#changes.run(() => this.#writeEnded())
  }

  /** Returns the sightings that are not yet written, and counts them as written. */
  takeLastUses(): LastUse<string>[] {
    const lastUses: LastUse<string>[] = []
    for (const session of this.#live.values()) {
      if (session.lastSeen === session.writtenLastSeen) continue
      session.writtenLastSeen = session.lastSeen
      lastUses.push([session.id, session.lastSeen])
    }
    return lastUses
  }

  #endOf(now: number): number {
    return this.#parts.disableExpiry ? now + LONGEST_MS : nextRollover(now, this.#parts.expiryTime)
  }

  #add(row: Omit<SessionRow, 'id'>): Session {
    const { sessionId, ...rest } = row
    const principal: Principal = Object.freeze({
      username: row.username,
      credential: 'session',
      credentialId: sessionId,
      scopes: ['admin'] as const,
    })
    const session: Live = {
      ...rest,
      id: sessionId,
      principal,
      writtenLastSeen: row.lastSeen,
      ...readingsOf(row, this.#parts.clock),
    }
    this.#live.set(sessionId, session)
    return session
  }

  #endOver(): void {
    const over = [...this.#live.values()]
      .filter((session) => isOver(session, this.#parts.clock))
      .map(({ id }) => id)
    this.#end(over, 'expired')
  }

  /**
   * Sets the timer for the next end, so that a session's connections close on time and not at the next sweep;
   * the sweep stores the end.
   */
  #setAlarm(): void {
    const { clock } = this.#parts
    clock.clear(this.#alarm)
    if (this.#live.size === 0) return
    const first = Math.min(...[...this.#live.values()].map(({ expiresAt }) => expiresAt))
    const wait = Math.min(Math.max(first - clock.now(), 1), LONGEST_WAIT_MS)
    this.#alarm = clock.setTimeout(() => {
      this.#endOver()
      this.#setAlarm()
    }, wait)
  }

  async #writeEnded(): Promise<void> {
    const ids = [...this.#unwritten.keys()]
    if (ids.length === 0) return
    await this.#parts.store.removeSessions(ids)
    for (const id of ids) this.#unwritten.delete(id)
  }

  #end(ids: readonly string[], reason: RevocationReason): void {
    for (const username of this.#drop(ids, reason)) this.#parts.onChanged(username)
  }

  /** Removes sessions from memory and announces their end. @returns the users of these sessions */
  #drop(ids: readonly string[], reason: RevocationReason): Set<string> {
    const usernames = new Set<string>()
    for (const id of ids) {
      const session = this.#live.get(id)
      if (!session) continue
      this.#live.delete(id)
      this.#unwritten.set(id, session.username)
      usernames.add(session.username)
      this.#parts.onRevoked({
        credential: 'session',
        credentialId: id,
        username: session.username,
        reason,
      })
    }
    return usernames
  }
}

function replaced(): ServiceError {
  return new ServiceError(
    'unauthenticated',
    'The password or the second factor was changed. Please sign in again.',
  )
}

/** A session ends at a time of the calendar, or when nobody has used it for long. */
function isOver({ expiresAt, seenReading }: Live, clock: Pick<Clock, 'now' | 'monotonic'>): boolean {
  return clock.now() >= expiresAt || clock.monotonic() - seenReading >= IDLE_MS
}

/** A proof that lies ahead, because the clock was set back meanwhile, is of an unknown age: it does not count. */
function readingsOf(
  { authenticatedAt, lastSeen, totpVerifiedAt }: Omit<SessionRow, 'id'>,
  clock: Clock,
): Pick<Live, 'codeReading' | 'proofReading' | 'seenReading'> {
  const proofOf = (instant: number) => readingOf(clock, instant, Number.POSITIVE_INFINITY)
  return {
    codeReading: totpVerifiedAt === null ? null : proofOf(totpVerifiedAt),
    proofReading: proofOf(authenticatedAt),
    seenReading: readingOf(clock, lastSeen),
  }
}

function viewOf(session: Session): SessionView {
  return {
    session_id: session.id,
    device_info: session.deviceInfo,
    ip_address: session.ipAddress,
    broker: session.broker,
    login_time: istIso(session.loginTime),
    last_seen: istIso(session.lastSeen),
  }
}

/** Returns the IST wall clock as ISO 8601 without an offset, as the API's lists show it. */
export function istIso(ms: number): string {
  return `${istDate(ms)}T${istTime(ms)}`
}
