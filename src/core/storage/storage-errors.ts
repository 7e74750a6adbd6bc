import { messageOf, ServiceError } from '../errors/index.js'

export const DISK_FAULT = /^SQLITE_(FULL|IOERR|CORRUPT|READONLY|CANTOPEN|NOTADB)/
const LOCKED = /^SQLITE_(BUSY|LOCKED)/

/** A database file was removed or replaced while the service runs. */
export class LostFile extends ServiceError {
  constructor(path: string) {
    super('unavailable', lostFileMessage(path))
  }
}

/** Returns the reason why a write is refused while a database file is gone. */
export function lostFileMessage(path: string): string {
  return (
    `${path} was removed or replaced while the service was running: nothing is stored or executed. ` +
    'Put the file back, or restart the service.'
  )
}

/** Returns the error of a transaction that was rolled back because it took too long. */
export function transactionTimeout(): ServiceError {
  return new ServiceError('unavailable', 'A database transaction took too long and was rolled back.')
}

/**
 * Returns whether an error concerns the file. It fails the whole group: SQLite may have rolled it back, or
 * never begun it.
 */
export function isFileFault(error: unknown): boolean {
  return isFault(error, DISK_FAULT) || isFault(error, LOCKED)
}

/** Tests an error of SQLite and its causes: drizzle wraps the error in one that names the query. */
export function isFault(error: unknown, pattern: RegExp): boolean {
  if (pattern.test(messageOf(error))) return true
  return error instanceof Error && error.cause !== undefined && isFault(error.cause, pattern)
}

/** Returns an error of SQLite as clients get it; any other error as it is. */
export function storageError(error: unknown): unknown {
  if (!isFileFault(error)) return error
  if (isFault(error, LOCKED)) {
    const message =
      'Another process has locked the database: nothing was stored or executed. Try again shortly.'
    return new ServiceError('unavailable', message, { cause: error })
  }
  return new ServiceError('storage_full', 'The disk is full or failing: nothing was stored or executed.', {
    cause: error,
  })
}
