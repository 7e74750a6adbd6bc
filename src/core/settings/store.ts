import { eq } from 'drizzle-orm'
import type { Database } from '../storage/index.js'
import { settings } from '../storage/tables/svc/settings.js'

export type SettingsRow = typeof settings.$inferSelect
export type SettingsChanges = Partial<Omit<SettingsRow, 'id'>>

/** The id of the only row. */
const ROW_ID = 1

/** All SQL of the settings. */
export class SettingsStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Returns the row. If it does not exist, it is created with the defaults of the table. */
  async load(): Promise<SettingsRow> {
    return (
      (await this.#row()) ??
      this.#db.write(async (tx) => {
        await tx.insert(settings).values({ id: ROW_ID }).onConflictDoNothing()
        return only(await tx.select().from(settings).where(eq(settings.id, ROW_ID)))
      })
    )
  }

  update(changes: SettingsChanges): Promise<SettingsRow> {
    return this.#db.write(async (tx) =>
      only(await tx.update(settings).set(changes).where(eq(settings.id, ROW_ID)).returning()),
    )
  }

  async #row(): Promise<SettingsRow | undefined> {
    const [row] = await this.#db.read.select().from(settings).where(eq(settings.id, ROW_ID))
    return row
  }
}

function only(rows: readonly SettingsRow[]): SettingsRow {
  const [row] = rows
  if (!row) throw new Error('the settings row is missing')
  return row
}
