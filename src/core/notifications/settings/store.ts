import { eq } from 'drizzle-orm'
import type { Database } from '../../storage/index.js'
import { messageSettings } from '../../storage/tables/svc/messages.js'

export type MessageSettingsRow = typeof messageSettings.$inferSelect
export type MessageSettingsChanges = Partial<Omit<MessageSettingsRow, 'id' | 'createdAt'>>

/** The id of the only row. */
const ROW_ID = 1

/** All SQL of the settings of the message channels. */
export class MessageSettingsStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Returns the row. If it does not exist, it is created with the defaults of the table. */
  load(now: number): Promise<MessageSettingsRow> {
    return this.#db.write(async (tx) => {
      await tx
        .insert(messageSettings)
        .values({ id: ROW_ID, createdAt: now, updatedAt: now })
        .onConflictDoNothing()
      return only(await tx.select().from(messageSettings).where(eq(messageSettings.id, ROW_ID)))
    })
  }

  update(changes: MessageSettingsChanges): Promise<MessageSettingsRow> {
    return this.#db.write(async (tx) =>
      only(await tx.update(messageSettings).set(changes).where(eq(messageSettings.id, ROW_ID)).returning()),
    )
  }
}

function only(rows: readonly MessageSettingsRow[]): MessageSettingsRow {
  const [row] = rows
  if (!row) throw new Error('the settings row of the messages is missing')
  return row
}
