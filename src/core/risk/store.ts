import { desc } from 'drizzle-orm'
import type { Database } from '../storage/index.js'
import { killSwitch, riskRules } from '../storage/tables/svc/orders.js'
import { type KillSwitchState, type RiskRules, readRules } from './schema.js'

/** All SQL of the risk gate. */
export class RiskStore {
  constructor(private readonly db: Database) {}

  async rules(): Promise<RiskRules> {
    const rows = await this.db.read.select().from(riskRules)
    return readRules(Object.fromEntries(rows.map((row) => [row.rule, JSON.parse(row.value)])))
  }

  async saveRules(change: Partial<RiskRules>, by: string, at: number): Promise<void> {
    await this.db.write(async (tx) => {
      for (const [rule, value] of Object.entries(change)) {
        const row = { rule, value: JSON.stringify(value), updatedAt: at, updatedBy: by }
        await tx.insert(riskRules).values(row).onConflictDoUpdate({ target: riskRules.rule, set: row })
      }
    })
  }

  async killSwitch(): Promise<KillSwitchState> {
    const [row] = await this.db.read.select().from(killSwitch).orderBy(desc(killSwitch.id)).limit(1)
    return row
      ? { on: row.on, reason: row.reason, since: row.at, by: row.by }
      : { on: false, reason: '', since: 0, by: '' }
  }

  async saveKillSwitch(state: KillSwitchState): Promise<void> {
    await this.db.write(async (tx) => {
      await tx
        .insert(killSwitch)
        .values({ on: state.on, reason: state.reason, at: state.since, by: state.by })
    })
  }
}
