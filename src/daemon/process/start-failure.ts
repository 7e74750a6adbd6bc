import { statfsSync } from 'node:fs'
import { messageOf, ServiceError } from '../../core/errors/index.js'

const FULL = /ENOSPC|EDQUOT|SQLITE_FULL/
const FORBIDDEN = /EROFS|EACCES|EPERM|SQLITE_READONLY|SQLITE_CANTOPEN/
const FAILING = /\bEIO\b|SQLITE_IOERR/
/** Below this free space the disk counts as full: a start needs more. */
const NO_SPACE_BYTES = 1024 * 1024

/**
 * Returns an error that explains a disk failure at start, with the path and the remedy; other errors
 * unchanged.
 */
export function startFailure(error: unknown, home: string): unknown {
  if (error instanceof ServiceError) return error
  const said = allMessages(error)
  if (![FULL, FORBIDDEN, FAILING].some((kind) => kind.test(said))) return error
  const where = pathOf(error) ?? home
  const reason = said.split('\n')[0] ?? ''
  if (FULL.test(said) || freeBytes(home) < NO_SPACE_BYTES) {
    return refused(
      `The disk is full: ${where} cannot be written (${reason}). Free some space on the disk of ${home} and start again. svc doctor shows the free space.`,
      error,
    )
  }
  if (FORBIDDEN.test(said)) {
    return refused(
      `${where} cannot be written (${reason}). Make ${home} and the files in it writable for the user who runs svc, or choose another folder with --home. svc doctor checks them.`,
      error,
    )
  }
  return refused(
    `The disk is failing: ${where} cannot be read or written (${reason}). Check the disk of ${home}, then start again.`,
    error,
  )
}

function refused(message: string, cause: unknown): ServiceError {
  return new ServiceError('storage_full', message, { cause })
}

/** Returns the messages of an error and of its nested causes. */
function allMessages(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? `\n${allMessages(error.cause)}` : ''
  return messageOf(error) + cause
}

function pathOf(error: unknown): string | undefined {
  const path = error instanceof Error && 'path' in error ? error.path : undefined
  return typeof path === 'string' ? path : undefined
}

function freeBytes(home: string): number {
  try {
    const { bavail, bsize } = statfsSync(home)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
