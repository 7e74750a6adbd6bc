import { and, eq, gt, lte, or, sql } from 'drizzle-orm'
import { crashPoint } from '../../errors/index.js'
import type { Database, Tx } from '../../storage/index.js'
import { activeSessions, passwordResets, users } from '../../storage/tables/svc/identity.js'
import type { UserRow } from '../store.js'

type ResetRow = typeof passwordResets.$inferSelect
export type ResetMethod = ResetRow['method']

/** All SQL of new passwords. */
export class RecoveryStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Returns the user with an e-mail address, in any mix of upper and lower case. */
  async userByEmail(email: string): Promise<UserRow | undefined> {
    const [row] = await this.#db.read
      .select()
      .from(users)
      .where(sql`${users.email} = ${email} collate nocase`)
    return row
  }

  /** Stores a permission in place of the user's former one of the same method. */
  async grant(reset: ResetRow): Promise<void> {
    const { tokenHash, expiresAt } = reset
    await this.#db.write((tx) =>
      tx
        .insert(passwordResets)
        .values(reset)
        .onConflictDoUpdate({
          target: [passwordResets.username, passwordResets.method],
          set: { tokenHash, expiresAt },
        }),
    )
  }

  /** Returns a valid permission with the e-mail address of its user. */
  async find(tokenHash: string, now: number): Promise<(ResetRow & { email: string }) | undefined> {
    const [row] = await this.#db.read
      .select({
        username: passwordResets.username,
        method: passwordResets.method,
        tokenHash: passwordResets.tokenHash,
        expiresAt: passwordResets.expiresAt,
        email: users.email,
      })
      .from(passwordResets)
      .innerJoin(users, eq(users.username, passwordResets.username))
      .where(and(eq(passwordResets.tokenHash, tokenHash), gt(passwordResets.expiresAt, now)))
    return row
  }

  /**
   * Uses up a permission, sets the password and removes the sessions, all in one transaction. Returns false, and
   * leaves password and sessions, when the permission is used, replaced or over, or when it is a link and the account
   * now demands a code.
   * @param also ends further access, in the same transaction
   */
  redeem(
    tokenHash: string,
    { passwordHash, now }: { passwordHash: string; now: number },
    also?: (tx: Tx) => Promise<void>,
  ): Promise<boolean> {
    return this.#db.write(async (tx) => {
      const [used] = await tx
        .delete(passwordResets)
        .where(and(eq(passwordResets.tokenHash, tokenHash), gt(passwordResets.expiresAt, now)))
        .returning()
      if (!used) return false
      crashPoint('identity.reset.midTransaction')
      const accepted =
        used.method === 'totp' ||
        or(eq(users.totpEnabled, false), eq(users.totpRequiredForPasswordReset, false))
      const changed = await tx
        .update(users)
        .set({ passwordHash })
        .where(and(eq(users.username, used.username), accepted === true ? undefined : accepted))
        .returning({ id: users.id })
      if (changed.length === 0) return false
      await endAccess(tx, used.username)
      await also?.(tx)
      return true
    })
  }

  /** Replaces a password and removes the sessions. Returns false, and changes nothing, unless it was `from`. */
  changePassword(username: string, from: string, to: string): Promise<boolean> {
    return this.#db.write(async (tx) => {
      const changed = await tx
        .update(users)
        .set({ passwordHash: to })
        .where(and(eq(users.username, username), eq(users.passwordHash, from)))
        .returning({ id: users.id })
      if (changed.length === 0) return false
      await endAccess(tx, username)
      return true
    })
  }

  /** Removes all permissions. */
  async removeAll(): Promise<void> {
    await this.#db.write((tx) => tx.delete(passwordResets))
  }

  async hasExpired(now: number): Promise<boolean> {
    const rows = await this.#db.read
      .select({ id: passwordResets.tokenHash })
      .from(passwordResets)
      .where(lte(passwordResets.expiresAt, now))
      .limit(1)
    return rows.length > 0
  }

  async removeExpired(now: number): Promise<void> {
    await this.#db.write((tx) => tx.delete(passwordResets).where(lte(passwordResets.expiresAt, now)))
  }
}

/** Removes all that the former password allowed: the sessions, and the permissions to reset it. */
async function endAccess(tx: Tx, username: string): Promise<void> {
  await tx.delete(passwordResets).where(eq(passwordResets.username, username))
  await tx.delete(activeSessions).where(eq(activeSessions.username, username))
}
