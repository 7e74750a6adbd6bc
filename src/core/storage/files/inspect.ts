import { LEDGER } from '../migrate.js'
import { SqliteConnection } from '../sqlite.js'

/** The facts of a database file that two copies of the same state share. */
export interface DatabaseFacts {
  /** The newest migration that was applied to the file; null if the file has no migrations. */
  schema: number | null
  /** The number of rows of each table. */
  rows: Record<string, number>
}

/** The result of a check: the facts of a sound file, or its damage. */
export type Inspection = { damage: string } | (DatabaseFacts & { damage?: undefined })

/**
 * Reads a database file completely, without changing it: its structure, its indexes and the references between its
 * tables.
 */
export async function inspectDatabase(file: string, signal?: AbortSignal): Promise<Inspection> {
  const connection = await SqliteConnection.openUnchanged(file)
  const interrupt = () => connection.interrupt()
  signal?.addEventListener('abort', interrupt)
  try {
    const damage = await damageIn(connection)
    return damage === undefined ? await factsOf(connection) : { damage }
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', interrupt)
    await connection.close()
  }
}

async function damageIn(connection: SqliteConnection): Promise<string | undefined> {
  const [row] = await connection.all('pragma integrity_check(1)')
  const found = String(row?.integrity_check)
  if (found !== 'ok') return found.replaceAll(/\s+/g, ' ')
  const [orphan] = await connection.all('pragma foreign_key_check')
  return orphan && `a row of ${String(orphan.table)} refers to a missing row of ${String(orphan.parent)}`
}

async function factsOf(connection: SqliteConnection): Promise<DatabaseFacts> {
  const tables = (
    await connection.all(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`,
    )
  ).map(({ name }) => String(name))
  const rows: Record<string, number> = {}
  for (const table of tables) {
    const [count] = await connection.all(`select count(*) as total from "${table.replaceAll('"', '""')}"`)
    rows[table] = Number(count?.total)
  }
  if (!tables.includes(LEDGER)) return { schema: null, rows }
  const [newest] = await connection.all(`select max(created_at) as newest from ${LEDGER}`)
  return { schema: Number(newest?.newest ?? 0), rows }
}
