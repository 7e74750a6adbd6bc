import { eq } from 'drizzle-orm'
import type { SecretBox } from '../secrets/index.js'
import type { Database } from '../storage/index.js'
import { brokerAccounts } from '../storage/tables/svc/brokers.js'
import type { BrokerSession } from './broker.js'

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

  async session(broker: string): Promise<BrokerSession | undefined> {
    const [row] = await this.db.read.select().from(brokerAccounts).where(eq(brokerAccounts.broker, broker))
    const text = row?.session ? this.secrets.open(row.session) : undefined
    return text === undefined ? undefined : (JSON.parse(text) as BrokerSession)
  }

  /** Makes one broker the active one, keeping every account's session. */
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
