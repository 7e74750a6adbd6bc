import { generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { Database } from '../../src/core/storage/index.js'
import * as identity from '../../src/core/storage/tables/svc/identity.js'
import * as settings from '../../src/core/storage/tables/svc/settings.js'

/** Opens (or creates) a file with the tables of identity and settings. */
export async function openSvcDatabase(file: string): Promise<Database> {
  const db = await Database.open({ file, schema: undefined })
  const [known] = await db.queryRaw("select 1 as yes from sqlite_schema where name = 'users'")
  if (known) return db
  const wanted = await generateSQLiteDrizzleJson({ ...identity, ...settings })
  const statements = await generateSQLiteMigration(await generateSQLiteDrizzleJson({}), wanted)
  await db.write(async (tx) => {
    for (const statement of statements) await tx.exec(statement)
  })
  return db
}
