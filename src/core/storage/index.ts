export { Database, type DatabaseOptions } from './database.js'
export type { Db } from './drizzle.js'
export { type DatabaseCopy, openCopy } from './files/copy.js'
export { FileLock } from './files/file-lock.js'
export { type DatabaseFacts, inspectDatabase } from './files/inspect.js'
export { damageOf, isDamage, isEmptyDatabase, setAside } from './files/integrity.js'
export { Snapshot, snapshotsAtOneMoment } from './files/snapshot.js'
export {
  freeBytes,
  newestMigration,
  type PendingMigration,
  removeOldCopies,
  type SchemaName,
  schemaProblem,
} from './migrate.js'
export { replaceTexts, sealedTexts } from './sealed-texts.js'
export { SerialQueue } from './serial-queue.js'
export { isStorageBusy, type Row, type SqlValue, storageIdle } from './sqlite.js'
export { type BatchRows, RowsStatement, type StatementRows } from './statements/batch.js'
export { containing } from './statements/containing.js'
export { allBut, insertInto } from './statements/insert.js'
export { nextIdIn } from './statements/next-id.js'
export { RowsFirst, storedWith } from './statements/rows-first.js'
export { lostFileMessage } from './storage-errors.js'
export type { Tx } from './writer.js'
