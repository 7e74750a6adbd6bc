import { and, desc, eq, gt, gte, inArray, isNull, lt, lte, ne, or, sql } from 'drizzle-orm'
import { crashPoint } from '../errors/index.js'
import { allBut, type Database, insertInto, type Tx } from '../storage/index.js'
import {
  accessTokens,
  activeSessions,
  apiKeys,
  loginAttempts,
  passwordResets,
  users,
} from '../storage/tables/svc/identity.js'
import type { AttemptFilter, OrderMode, TotpSettings } from './schema.js'

export type UserRow = typeof users.$inferSelect
export type SessionRow = typeof activeSessions.$inferSelect
export type ApiKeyRow = typeof apiKeys.$inferSelect
export type AccessTokenRow = typeof accessTokens.$inferSelect
type LoginAttemptRow = typeof loginAttempts.$inferSelect

type NewUser = Pick<UserRow, 'username' | 'email' | 'passwordHash' | 'totpSecret' | 'createdAt'>
type NewSession = Omit<SessionRow, 'id'>
export type NewApiKey = Pick<ApiKeyRow, 'userId' | 'apiKeyHash' | 'apiKeyEncrypted' | 'createdAt'>
type NewAccessToken = Omit<AccessTokenRow, 'id' | 'lastUsedAt' | 'revokedAt'>

/** The changes that a code allows: new settings, and the session in which its user entered it, with the time. */
interface TotpUse {
  settings?: TotpSettings | undefined
  session?: { id: string; at: number } | undefined
}

/** A change of the sealed secret, with the step of its first code and the session that sent it. */
interface TotpSecretChange {
  from: string
  to: string
  step: number
  session: { id: string; at: number }
}

/** A last use: the key in its table, and epoch milliseconds. */
export type LastUse<Key> = readonly [key: Key, at: number]

const ATTEMPTS = insertInto(loginAttempts, allBut(loginAttempts, 'id'))

/**
 * Finds the last success of each name once, not once per failure. The names of accounts come first, so that no
 * number of invented names hides their failures. Exported for the test of its query plan.
 */
export const FAILED_SIGN_INS = failuresOf({
  failures: "login_type in ('password', 'totp')",
  successes: "login_type <> 'reset'",
  accounts: 'select username from users',
})
/** The same for codes that were entered to reset a password. Their names are e-mail addresses in lower case. */
export const FAILED_RESETS = failuresOf({
  failures: "login_type = 'reset'",
  successes: "login_type = 'reset'",
  accounts: 'select lower(email) from users',
})

interface CountedAttempts {
  failures: string
  successes: string
  /** Selects the names of accounts. */
  accounts: string
}

function failuresOf({ accounts, failures, successes }: CountedAttempts): string {
  return `
  with passed as (
    select username, max(id) as id from login_attempts
    where status = 'success' and ${successes} group by username
  )
  select failed.username, count(*) as failures, max(timestamp) as last_at
  from login_attempts as failed left join passed on passed.username = failed.username
  where status = 'failed' and ${failures} and timestamp > ? and failed.id > coalesce(passed.id, 0)
  group by failed.username
  order by failed.username in (${accounts}) desc, last_at desc limit ?`
}

/** All SQL of identity. */
export class IdentityStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async anyUser(): Promise<UserRow | undefined> {
    const [row] = await this.#db.read.select().from(users).limit(1)
    return row
  }

  async user(username: string): Promise<UserRow | undefined> {
    const [row] = await this.#db.read.select().from(users).where(eq(users.username, username))
    return row
  }

  /** Creates the first user with an API key; returns undefined when a user already exists. */
  createFirstUser(user: NewUser, key: NewApiKey): Promise<ApiKeyRow | undefined> {
    return this.#db.write(async (tx) => {
      const [existing] = await tx.select({ id: users.id }).from(users).limit(1)
      if (existing) return undefined
      await tx.insert(users).values(user)
      return upsertApiKey(tx, key)
    })
  }

  /** Replaces a password hash, unless it has changed since it was read. */
  async replacePasswordHash(username: string, from: string, to: string): Promise<void> {
    await this.#db.write((tx) =>
      tx
        .update(users)
        .set({ passwordHash: to })
        .where(and(eq(users.username, username), eq(users.passwordHash, from))),
    )
  }

  /**
   * Marks the step of a code as used, and stores in the same transaction what the code allows. Returns false, and
   * stores nothing, when a code of this step or of a later one was used before.
   */
  useTotpStep(username: string, step: number, { settings, session }: TotpUse = {}): Promise<boolean> {
    const unused = or(isNull(users.totpLastStep), lt(users.totpLastStep, step))
    return this.#db.write(async (tx) => {
      const changed = await tx
        .update(users)
        .set({ totpLastStep: step, ...(settings && columnsOf(settings)) })
        .where(and(eq(users.username, username), unused))
        .returning({ id: users.id })
      if (changed.length === 0) return false
      if (session) {
        const ofSession = eq(activeSessions.sessionId, session.id)
        await tx.update(activeSessions).set({ totpVerifiedAt: session.at }).where(ofSession)
      }
      return true
    })
  }

  /**
   * Replaces the sealed secret of the second factor, marks the step of its first code as used, and removes all other
   * sessions and the permissions to reset the password. Returns false, and changes nothing, unless the secret was `from`.
   */
  replaceTotpSecret(username: string, { from, session, step, to }: TotpSecretChange): Promise<boolean> {
    return this.#db.write(async (tx) => {
      const changed = await tx
        .update(users)
        .set({ totpSecret: to, totpLastStep: step })
        .where(and(eq(users.username, username), eq(users.totpSecret, from)))
        .returning({ id: users.id })
      if (changed.length === 0) return false
      const { sessionId, username: owner } = activeSessions
      await tx.delete(passwordResets).where(eq(passwordResets.username, username))
      await tx.delete(activeSessions).where(and(eq(owner, username), ne(sessionId, session.id)))
      await tx.update(activeSessions).set({ totpVerifiedAt: session.at }).where(eq(sessionId, session.id))
      return true
    })
  }

  async sessions(now: number): Promise<SessionRow[]> {
    return this.#db.read.select().from(activeSessions).where(gt(activeSessions.expiresAt, now))
  }

  /** Stores a session and removes the user's oldest beyond `cap`; returns the ids of the removed ones. */
  async addSession(row: NewSession, cap: number): Promise<string[]> {
    const evicted = await this.#db.write(async (tx) => {
      await tx.insert(activeSessions).values(row)
      const newestFirst = await tx
        .select({ sessionId: activeSessions.sessionId })
        .from(activeSessions)
        .where(eq(activeSessions.username, row.username))
        // Not by time: after a clock that was set back, the new session would be the oldest.
        .orderBy(desc(activeSessions.id))
      const ids = newestFirst.slice(cap).map(({ sessionId }) => sessionId)
      if (ids.length > 0) await tx.delete(activeSessions).where(inArray(activeSessions.sessionId, ids))
      return ids
    })
    crashPoint('session.login.afterCommit')
    return evicted
  }

  async setAuthenticated(sessionId: string, at: number): Promise<void> {
    const ofSession = eq(activeSessions.sessionId, sessionId)
    await this.#db.write((tx) => tx.update(activeSessions).set({ authenticatedAt: at }).where(ofSession))
  }

  async removeSessions(ids: readonly string[]): Promise<void> {
    await this.#db.write((tx) => tx.delete(activeSessions).where(inArray(activeSessions.sessionId, [...ids])))
  }

  async removeExpiredSessions(now: number): Promise<void> {
    await this.#db.write((tx) => tx.delete(activeSessions).where(lte(activeSessions.expiresAt, now)))
  }

  async apiKeys(): Promise<ApiKeyRow[]> {
    return this.#db.read.select().from(apiKeys)
  }

  /** Stores a key in place of the user's former one, and `also` in the same transaction. */
  replaceApiKey(key: NewApiKey, also?: (tx: Tx) => Promise<void>): Promise<ApiKeyRow> {
    return this.#db.write(async (tx) => {
      const row = await upsertApiKey(tx, key)
      crashPoint('identity.rotate.midTransaction')
      await also?.(tx)
      return row
    })
  }

  async setOrderMode(username: string, orderMode: OrderMode): Promise<void> {
    await this.#db.write((tx) => tx.update(apiKeys).set({ orderMode }).where(eq(apiKeys.userId, username)))
  }

  async accessTokens(): Promise<AccessTokenRow[]> {
    return this.#db.read.select().from(accessTokens)
  }

  addAccessToken(token: NewAccessToken): Promise<AccessTokenRow> {
    return this.#db.write(async (tx) => only(await tx.insert(accessTokens).values(token).returning()))
  }

  async revokeAccessToken(id: number, at: number): Promise<void> {
    await this.#db.write((tx) =>
      tx
        .update(accessTokens)
        .set({ revokedAt: at })
        .where(and(eq(accessTokens.id, id), isNull(accessTokens.revokedAt))),
    )
  }

  /** Records the last uses of credentials, all in one transaction. */
  async touch(used: {
    sessions: readonly LastUse<string>[]
    apiKeys: readonly LastUse<number>[]
    accessTokens: readonly LastUse<number>[]
  }): Promise<void> {
    await this.#db.write(async (tx) => {
      for (const [id, at] of used.sessions) {
        await tx.update(activeSessions).set({ lastSeen: at }).where(eq(activeSessions.sessionId, id))
      }
      for (const [id, at] of used.apiKeys) {
        await tx.update(apiKeys).set({ lastUsedAt: at }).where(eq(apiKeys.id, id))
      }
      for (const [id, at] of used.accessTokens) {
        await tx.update(accessTokens).set({ lastUsedAt: at }).where(eq(accessTokens.id, id))
      }
    })
  }

  addAttempt(attempt: Omit<LoginAttemptRow, 'id'>): Promise<void> {
    return this.#db.batch(ATTEMPTS.rows([attempt]))
  }

  async attempts({ limit, since, status }: AttemptFilter): Promise<LoginAttemptRow[]> {
    return this.#db.read
      .select()
      .from(loginAttempts)
      .where(
        and(
          status === undefined ? undefined : sql`${loginAttempts.status} = ${status}`,
          since === undefined ? undefined : gte(loginAttempts.timestamp, since),
        ),
      )
      .orderBy(desc(loginAttempts.id))
      .limit(limit)
  }

  /** Returns each account's failed passwords and codes since its last success, in the order of the last failures. */
  async failedSignIns(
    since: number,
    limit: number,
    counted: 'sign-ins' | 'resets',
  ): Promise<{ username: string; count: number; lastAt: number }[]> {
    const query = counted === 'resets' ? FAILED_RESETS : FAILED_SIGN_INS
    const rows = await this.#db.queryRaw(query, [since, limit])
    return rows
      .map((row) => ({
        username: String(row.username),
        count: Number(row.failures),
        lastAt: Number(row.last_at),
      }))
      .reverse()
  }

  /** Returns true when the account has signed in from this own address of a caller since that time. */
  async signedInFrom(username: string, address: string, since: number): Promise<boolean> {
    const rows = await this.#db.read
      .select({ id: loginAttempts.id })
      .from(loginAttempts)
      .where(
        and(
          eq(loginAttempts.username, username),
          eq(loginAttempts.ownAddress, address),
          eq(loginAttempts.status, 'success'),
          gt(loginAttempts.timestamp, since),
        ),
      )
      .limit(1)
    return rows.length > 0
  }

  async clearAttempts(): Promise<void> {
    await this.#db.write((tx) => tx.delete(loginAttempts))
  }
}

function columnsOf({ enabled, login, mcp, passwordReset }: TotpSettings) {
  return {
    totpEnabled: enabled,
    totpRequiredForLogin: login,
    totpRequiredForMcp: mcp,
    totpRequiredForPasswordReset: passwordReset,
  }
}

/** Stores a user's only key: it replaces the old one and keeps its order mode. */
async function upsertApiKey(tx: Tx, key: NewApiKey): Promise<ApiKeyRow> {
  const { apiKeyHash, apiKeyEncrypted, createdAt } = key
  return only(
    await tx
      .insert(apiKeys)
      .values(key)
      .onConflictDoUpdate({
        target: apiKeys.userId,
        set: { apiKeyHash, apiKeyEncrypted, createdAt, lastUsedAt: null },
      })
      .returning(),
  )
}

/** Returns the one row that an insert returned. */
function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('an insert returned no row')
  return row
}
