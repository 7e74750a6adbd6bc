import { eq } from 'drizzle-orm'
import type { Database } from '../storage/index.js'
import { eventNumbers } from '../storage/tables/svc/settings.js'
import type { EventNumbers } from './stream.js'

/** The id of the only row. */
const ROW_ID = 1

/** Stores up to which number events may be numbered. */
export class EventNumberStore implements EventNumbers {
  constructor(private readonly db: Database) {}

  async reserved(): Promise<number> {
    const [row] = await this.db.read.select().from(eventNumbers).where(eq(eventNumbers.id, ROW_ID))
    return row?.reserved ?? 0
  }

  async reserve(reserved: number): Promise<void> {
    await this.db.write(async (tx) => {
      await tx
        .insert(eventNumbers)
        .values({ id: ROW_ID, reserved })
        .onConflictDoUpdate({ target: eventNumbers.id, set: { reserved } })
    })
  }
}
