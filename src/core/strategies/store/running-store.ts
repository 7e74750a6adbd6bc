import { count, inArray, isNotNull, or } from 'drizzle-orm'
import type { DatabaseCopy } from '../../storage/index.js'
import { strategies } from '../../storage/tables/svc/strategies.js'

/** Returns the number of strategies with an open run. */
export async function countRunning(db: Pick<DatabaseCopy, 'read'>): Promise<number> {
  const [found] = await db.read
    .select({ n: count().as('n') })
    .from(strategies)
    .where(or(inArray(strategies.status, ['running', 'paused']), isNotNull(strategies.currentRunId)))
  return found?.n ?? 0
}
