import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import type { Database } from '../../src/core/storage/index.js'

const generated = new Map<object, Promise<string[]>>()

/**
 * Creates the tables of one module of src/core/storage/tables in a file opened without migrations, from the
 * current definitions: `createTables(db, await import('…/tables/svc/approvals.js'))`.
 */
export async function createTables(db: Database, tables: Record<string, unknown>): Promise<void> {
  let statements = generated.get(tables)
  if (!statements) {
    statements = statementsFor(tables)
    generated.set(tables, statements)
  }
  const sql = await statements
  await db.write(async (tx) => {
    for (const statement of sql) await tx.exec(statement)
  })
}

async function statementsFor(tables: Record<string, unknown>): Promise<string[]> {
  return generateSQLiteMigration(
    await generateSQLiteDrizzleJson({}),
    await generateSQLiteDrizzleJson({ ...tables }),
  )
}
