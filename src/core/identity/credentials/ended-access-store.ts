import { isNotNull } from 'drizzle-orm'
import type { DatabaseCopy } from '../../storage/index.js'
import { accessTokens, users } from '../../storage/tables/svc/identity.js'

/** Returns the digests of the tokens that a database knows as revoked. */
export async function revokedTokens(db: Pick<DatabaseCopy, 'read'>): Promise<Set<string>> {
  const { revokedAt, tokenHash } = accessTokens
  const rows = await db.read.select({ tokenHash }).from(accessTokens).where(isNotNull(revokedAt))
  return new Set(rows.map((row) => row.tokenHash))
}

/** Returns the account of a database with the time of its set-up: the same in every copy of a home, and in no other home. */
export async function accountOf(db: Pick<DatabaseCopy, 'read'>): Promise<string | undefined> {
  const [row] = await db.read
    .select({ username: users.username, createdAt: users.createdAt })
    .from(users)
    .limit(1)
  return row && `${row.createdAt} ${row.username}`
}
