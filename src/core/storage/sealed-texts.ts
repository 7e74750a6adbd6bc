import type { Database } from './database.js'
import type { Tx } from './writer.js'

/** A sealed text of a database, and how to change it. */
interface SealedText {
  table: string
  column: string
  rowid: number
  text: string
}

const TEXT_COLUMNS = `
  select tables.name as "table", columns.name as "column"
  from sqlite_master as tables join pragma_table_info(tables.name) as columns
  where tables.type = 'table' and tables.name not like 'sqlite_%' and tables.sql not like 'create virtual%'
    and upper(columns.type) = 'TEXT'`

/**
 * Returns every text of a database that begins like a sealed one, wherever it is: a table that a later version
 * adds must not be forgotten.
 */
export async function sealedTexts(db: Database, prefix: string): Promise<SealedText[]> {
  const columns = new Map<string, string[]>()
  for (const row of await db.queryRaw(TEXT_COLUMNS)) {
    const table = String(row.table)
    columns.set(table, [...(columns.get(table) ?? []), String(row.column)])
  }
  const found: SealedText[] = []
  for (const [table, names] of columns) {
    const begins = names.map((name) => `substr("${name}", 1, ${prefix.length}) = '${prefix}'`)
    const list = names.map((name) => `"${name}"`).join(', ')
    const rows = await db.queryRaw(
      `select rowid as "rowid of table", ${list} from "${table}" where ${begins.join(' or ')}`,
    )
    for (const row of rows) {
      for (const column of names) {
        const text = row[column]
        if (typeof text !== 'string' || !text.startsWith(prefix)) continue
        found.push({ table, column, rowid: Number(row['rowid of table']), text })
      }
    }
  }
  return found
}

/** Replaces texts, in a transaction. */
export async function replaceTexts(tx: Tx, texts: readonly SealedText[]): Promise<void> {
  for (const { table, column, rowid, text } of texts) {
    await tx.exec(`update "${table}" set "${column}" = ? where rowid = ?`, [text, rowid])
  }
}
