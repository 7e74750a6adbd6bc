import { eq, sql } from 'drizzle-orm'
import type { Database } from '../storage/index.js'
import { chartPreferences } from '../storage/tables/svc/settings.js'

/** All SQL of the chart preferences. */
export class ChartStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Returns the values by key. */
  async read(userId: string): Promise<Record<string, string>> {
    const rows = await this.#db.read
      .select({ key: chartPreferences.key, value: chartPreferences.value })
      .from(chartPreferences)
      .where(eq(chartPreferences.userId, userId))
      .orderBy(chartPreferences.key)
    return Object.fromEntries(rows.map(({ key, value }) => [key, value]))
  }

  /** Sets these keys in one transaction and keeps all others. */
  async merge(userId: string, values: Readonly<Record<string, string>>, updatedAt: number): Promise<void> {
    const rows = Object.entries(values).map(([key, value]) => ({ userId, key, value, updatedAt }))
    await this.#db.write(async (tx) => {
      await tx
        .insert(chartPreferences)
        .values(rows)
        .onConflictDoUpdate({
          target: [chartPreferences.userId, chartPreferences.key],
          set: { value: sql`excluded.value`, updatedAt: sql`excluded.updated_at` },
        })
    })
  }
}
