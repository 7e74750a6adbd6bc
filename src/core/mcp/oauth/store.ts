import { and, desc, eq, inArray, isNull, lt, lte, type SQL } from 'drizzle-orm'
import type { Database, Tx } from '../../storage/index.js'
import {
  oauthClients,
  oauthGrants,
  oauthRefreshTokens,
  oauthSigningKeys,
} from '../../storage/tables/svc/mcp.js'

export type ClientRow = typeof oauthClients.$inferSelect
export type NewClient = Omit<ClientRow, 'id' | 'revokedAt' | 'lastUsedAt'>
export type GrantRow = typeof oauthGrants.$inferSelect
export type NewGrant = Omit<GrantRow, 'endedAt' | 'endReason'>
export type RefreshRow = typeof oauthRefreshTokens.$inferSelect
export type NewRefresh = Pick<
  RefreshRow,
  'clientId' | 'tokenHash' | 'scopes' | 'familyId' | 'createdAt' | 'expiresAt'
>
export type KeyRow = typeof oauthSigningKeys.$inferSelect

/** The grants that end: some families, those of a client, or all that exist at the time. */
export type Ending = { families: readonly string[] } | { clientId: string } | 'all'

/** All SQL of clients, grants, refresh tokens and signing keys. */
export class OAuthStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  clients(): Promise<ClientRow[]> {
    return this.#db.read.select().from(oauthClients).orderBy(oauthClients.id)
  }

  /** Adds a client, and removes others in the same transaction. */
  addClient(client: NewClient, removed: readonly string[]): Promise<ClientRow> {
    return this.#db.write(async (tx) => {
      if (removed.length > 0)
        await tx.delete(oauthClients).where(inArray(oauthClients.clientId, [...removed]))
      return only(await tx.insert(oauthClients).values(client).returning())
    })
  }

  async changeClient(
    clientId: string,
    changes: Partial<Pick<ClientRow, 'approved' | 'approvedAt' | 'revokedAt' | 'lastUsedAt'>>,
  ): Promise<void> {
    await this.#db.write((tx) =>
      tx.update(oauthClients).set(changes).where(eq(oauthClients.clientId, clientId)),
    )
  }

  /** Returns the grants that nobody has ended. */
  openGrants(): Promise<GrantRow[]> {
    return this.#db.read.select().from(oauthGrants).where(isNull(oauthGrants.endedAt))
  }

  /** Stores a grant with its first refresh token. */
  async addGrant(grant: NewGrant, token: NewRefresh): Promise<RefreshRow> {
    return this.#db.write(async (tx) => {
      await tx.insert(oauthGrants).values(grant)
      await tx
        .update(oauthClients)
        .set({ lastUsedAt: grant.createdAt })
        .where(eq(oauthClients.clientId, grant.clientId))
      return only(await tx.insert(oauthRefreshTokens).values(token).returning())
    })
  }

  /** Runs a use of a refresh token as one transaction. */
  useToken<T>(use: (tokens: RefreshTransaction) => Promise<T>): Promise<T> {
    return this.#db.write((tx) => use(new RefreshTransaction(tx)))
  }

  async familyOf(tokenHash: string): Promise<Pick<RefreshRow, 'clientId' | 'familyId'> | undefined> {
    const [row] = await this.#db.read
      .select({ clientId: oauthRefreshTokens.clientId, familyId: oauthRefreshTokens.familyId })
      .from(oauthRefreshTokens)
      .where(eq(oauthRefreshTokens.tokenHash, tokenHash))
    return row
  }

  /** Notes that the answers with these tokens have left this machine. */
  async noteDelivered(ids: readonly number[], at: number): Promise<void> {
    await this.#db.write((tx) =>
      tx
        .update(oauthRefreshTokens)
        .set({ deliveredAt: at })
        .where(and(inArray(oauthRefreshTokens.id, [...ids]), isNull(oauthRefreshTokens.deliveredAt))),
    )
  }

  /** Ends grants with their refresh tokens, in one step. Returns the number of refresh tokens that were usable. */
  endGrants(ending: Ending, reason: string, at: number): Promise<number> {
    return this.#db.write((tx) => endGrantsIn(tx, ending, reason, at))
  }

  /** Removes refresh tokens that have expired, and grants that ended before an instant. */
  async prune(now: number, endedBefore: number): Promise<void> {
    await this.#db.write(async (tx) => {
      await tx.delete(oauthRefreshTokens).where(lt(oauthRefreshTokens.expiresAt, now))
      await tx.delete(oauthGrants).where(lt(oauthGrants.endedAt, endedBefore))
    })
  }

  keys(): Promise<KeyRow[]> {
    return this.#db.read.select().from(oauthSigningKeys).orderBy(desc(oauthSigningKeys.id))
  }

  /** Stores a key as the active one. The keys before it lose their private part. */
  async addKey(
    key: Pick<KeyRow, 'kid' | 'algorithm' | 'publicJwk' | 'privateSealed'>,
    at: number,
  ): Promise<void> {
    await this.#db.write(async (tx) => {
      await tx
        .update(oauthSigningKeys)
        .set({ isActive: false, privateSealed: null, rotatedAt: at })
        .where(eq(oauthSigningKeys.isActive, true))
      await tx.insert(oauthSigningKeys).values({ ...key, isActive: true, createdAt: at })
    })
  }

  /** Removes the keys that signed nothing that is still valid. */
  async pruneKeys(rotatedBefore: number): Promise<void> {
    await this.#db.write((tx) =>
      tx
        .delete(oauthSigningKeys)
        .where(and(eq(oauthSigningKeys.isActive, false), lt(oauthSigningKeys.rotatedAt, rotatedBefore))),
    )
  }
}

/** The queries of one use of a refresh token. */
export class RefreshTransaction {
  readonly #tx: Tx

  constructor(tx: Tx) {
    this.#tx = tx
  }

  async find(tokenHash: string): Promise<RefreshRow | undefined> {
    const [row] = await this.#tx
      .select()
      .from(oauthRefreshTokens)
      .where(eq(oauthRefreshTokens.tokenHash, tokenHash))
    return row
  }

  async successorOf(id: number): Promise<RefreshRow | undefined> {
    const [row] = await this.#tx.select().from(oauthRefreshTokens).where(eq(oauthRefreshTokens.parentId, id))
    return row
  }

  /** Returns the grant of a family, if nobody has ended it. */
  async openGrant(familyId: string): Promise<GrantRow | undefined> {
    const [row] = await this.#tx
      .select()
      .from(oauthGrants)
      .where(and(eq(oauthGrants.familyId, familyId), isNull(oauthGrants.endedAt)))
    return row
  }

  /** Replaces a token by its successor. */
  async replace({ id, clientId, familyId }: RefreshRow, successor: NewRefresh): Promise<RefreshRow> {
    const { createdAt: at, expiresAt } = successor
    await this.#tx
      .update(oauthRefreshTokens)
      .set({ revokedAt: at, revokeReason: 'rotated', lastUsedAt: at })
      .where(eq(oauthRefreshTokens.id, id))
    await this.#tx.update(oauthGrants).set({ expiresAt }).where(eq(oauthGrants.familyId, familyId))
    await this.#tx.update(oauthClients).set({ lastUsedAt: at }).where(eq(oauthClients.clientId, clientId))
    return only(
      await this.#tx
        .insert(oauthRefreshTokens)
        .values({ ...successor, parentId: id })
        .returning(),
    )
  }
}

/** Does the same in a transaction that changes more. */
export async function endGrantsIn(tx: Tx, ending: Ending, reason: string, at: number): Promise<number> {
  await tx
    .update(oauthGrants)
    .set({ endedAt: at, endReason: reason })
    .where(and(isNull(oauthGrants.endedAt), lte(oauthGrants.createdAt, at), ended(oauthGrants, ending)))
  const revoked = await tx
    .update(oauthRefreshTokens)
    .set({ revokedAt: at, revokeReason: reason })
    .where(
      and(
        isNull(oauthRefreshTokens.revokedAt),
        lte(oauthRefreshTokens.createdAt, at),
        ended(oauthRefreshTokens, ending),
      ),
    )
    .returning({ id: oauthRefreshTokens.id })
  return revoked.length
}

function ended(table: typeof oauthGrants | typeof oauthRefreshTokens, ending: Ending): SQL | undefined {
  if (ending === 'all') return undefined
  return 'clientId' in ending
    ? eq(table.clientId, ending.clientId)
    : inArray(table.familyId, [...ending.families])
}

function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (!row) throw new Error('the row was not written')
  return row
}
