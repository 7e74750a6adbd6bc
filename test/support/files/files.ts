import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import sqlite3 from 'sqlite3'

export type Row = Record<string, unknown>

/** A daemon that starts or stops holds its file for a moment, which on a busy machine is a long one. */
const BUSY_MS = 60_000

/** Runs a query on a database file; the daemon may be using the file. */
export function query<T = Row>(file: string, sql: string, params: readonly unknown[] = []): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const db = new sqlite3.Database(file, sqlite3.OPEN_READONLY, (opening) => {
      if (opening) return reject(opening)
      db.configure('busyTimeout', BUSY_MS)
      db.all<T>(sql, params, (failure, rows) => db.close(() => (failure ? reject(failure) : resolve(rows))))
    })
  })
}

/**
 * Folds the write-ahead log into its database, without cutting it, since the daemon uses it. Returns false while a
 * reader holds an older transaction open.
 */
export function foldLog(file: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const db = new sqlite3.Database(file, sqlite3.OPEN_READWRITE, (opening) => {
      if (opening) return reject(opening)
      db.get<Row>('pragma wal_checkpoint(passive)', (failure, row) =>
        db.close(() => (failure ? reject(failure) : resolve(row?.log === row?.checkpointed))),
      )
    })
  })
}

/** Runs a script on a database file that nobody else uses; creates the file if necessary. */
export function execute(file: string, script: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const db = new sqlite3.Database(file, (opening) => {
      if (opening) return reject(opening)
      db.exec(script, (failure) => db.close(() => (failure ? reject(failure) : resolve())))
    })
  })
}

/** Returns every file below a folder. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Returns the damage that SQLite finds in the databases of a home; empty when there is none. */
export async function damages(home: string): Promise<string[]> {
  const found: string[] = []
  for (const file of filesBelow(home).filter((name) => name.endsWith('.db'))) {
    for (const row of await query(file, 'pragma integrity_check')) {
      if (row.integrity_check !== 'ok') found.push(`${file}: ${row.integrity_check}`)
    }
    const orphans = await query(file, 'pragma foreign_key_check')
    if (orphans.length > 0) found.push(`${file}: ${orphans.length} broken references`)
  }
  return found
}

/** Returns the files of a home whose bytes contain a text. */
export function filesWith(home: string, text: string): string[] {
  const bytes = Buffer.from(text)
  return filesBelow(home).filter((file) => readFileSync(file).includes(bytes))
}
