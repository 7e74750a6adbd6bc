import { asc, eq, isNotNull } from 'drizzle-orm'
import { z } from 'zod'
import type { SecretBox } from '../../secrets/index.js'
import type { Database } from '../../storage/index.js'
import { brokerAccounts } from '../../storage/tables/svc/brokers.js'
import type { BrokerSession } from '../auth.js'
import type { SessionEnd } from './session-watch.js'

const storedSession: z.ZodType<BrokerSession> = z.object({
  accessToken: z.string(),
  feedToken: z.string().optional(),
  userId: z.string().optional(),
  issuedAt: z.number(),
  expiresAt: z.number().optional(),
  extra: z.record(z.string(), z.string()).optional(),
})

/** How the stored session ended by itself. It is kept in the same text, so that a restart does not use the session. */
const storedEnd: z.ZodType<{ ended?: SessionEnd | undefined }> = z.object({
  ended: z.object({ cause: z.enum(['expired', 'refused']), message: z.string(), at: z.number() }).optional(),
})

/** All SQL of broker accounts. Sessions are encrypted at rest. */
export class BrokerStore {
  constructor(
    private readonly db: Database,
    private readonly secrets: SecretBox,
  ) {}

  async active(): Promise<string | undefined> {
    const [row] = await this.db.read.select().from(brokerAccounts).where(eq(brokerAccounts.active, true))
    return row?.broker
  }

  /**
   * Returns the stored session; undefined if there is none or it cannot be read (then a new login is needed).
   */
  async session(broker: string): Promise<BrokerSession | undefined> {
    return storedSession.safeParse(await this.#stored(broker)).data
  }

  /** Returns how the stored session ended; undefined if it did not end by itself. */
  async end(broker: string): Promise<SessionEnd | undefined> {
    return storedEnd.safeParse(await this.#stored(broker)).data?.ended
  }

  /** Stores that a session ended by itself. A session that is not the stored one any more changes nothing. */
  async endSession(broker: string, ended: BrokerSession, end: SessionEnd, at: number): Promise<void> {
    const session = await this.session(broker)
    if (session?.accessToken !== ended.accessToken || session.issuedAt !== ended.issuedAt) return
    const text = this.secrets.seal(JSON.stringify({ ...session, ended: end }))
    await this.db.write(async (tx) => {
      await tx
        .update(brokerAccounts)
        .set({ session: text, updatedAt: at })
        .where(eq(brokerAccounts.broker, broker))
    })
  }

  async #stored(broker: string): Promise<unknown> {
    const [row] = await this.db.read.select().from(brokerAccounts).where(eq(brokerAccounts.broker, broker))
    const text = row?.session ? this.secrets.open(row.session) : undefined
    return text === undefined ? undefined : JSON.parse(text)
  }

  /** Returns the ids of the brokers that have a stored session, even one that has ended. */
  async withSession(): Promise<string[]> {
    const rows = await this.db.read
      .select({ broker: brokerAccounts.broker })
      .from(brokerAccounts)
      .where(isNotNull(brokerAccounts.session))
      .orderBy(asc(brokerAccounts.broker))
    return rows.map(({ broker }) => broker)
  }

  /** Makes one broker the active one and keeps the sessions of all accounts. */
  async use(broker: string, at: number): Promise<void> {
    await this.db.write(async (tx) => {
      await tx.update(brokerAccounts).set({ active: false })
      await tx
        .insert(brokerAccounts)
        .values({ broker, active: true, updatedAt: at })
        .onConflictDoUpdate({ target: brokerAccounts.broker, set: { active: true, updatedAt: at } })
    })
  }

  async saveSession(broker: string, session: BrokerSession | undefined, at: number): Promise<void> {
    const row = {
      session: session ? this.secrets.seal(JSON.stringify(session)) : null,
      expiresAt: session?.expiresAt ?? null,
      updatedAt: at,
    }
    await this.db.write(async (tx) => {
      await tx
        .insert(brokerAccounts)
        .values({ broker, ...row })
        .onConflictDoUpdate({ target: brokerAccounts.broker, set: row })
    })
  }
}
