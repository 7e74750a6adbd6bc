import { accessSync, constants, existsSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../core/errors/index.js'
import { CliError } from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'
import { homeFile } from './home.js'
import { isDaemonProcess } from './processes.js'

/**
 * Returns the daemon that has the lock of a home, also one that is still starting and has not written `daemon.json`; undefined
 * if none has it, and where the system does not show it: elsewhere than on Linux, and for the process of another user.
 */
export const daemonWithLock = (home: string): number | undefined => withLock(home, isDaemonProcess)

/** Returns any other process that has the lock of a home, such as a command that works on the home without a daemon. */
export const processWithLock = (home: string): number | undefined => withLock(home, () => true)

/**
 * Returns whether a process has the lock of a home. Takes it for a moment: nothing can start meanwhile.
 * @throws CliError when this user may not know
 */
export async function isLocked(home: string): Promise<boolean> {
  const file = homeFile(home, 'daemon.lock')
  if (!existsSync(file) || !isWritable(file)) return false
  const { lockFile } = await import('../../daemon/backup/upgrade.js')
  const lock = await lockFile(file)
  await lock?.release()
  return lock === undefined
}

/** Nobody can lock a file on a disk that is mounted read-only. */
function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    return true
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EROFS') return false
    throw new CliError(EXIT.failed, `Whether a daemon has ${file} cannot be read: ${messageOf(cause)}.`, {
      hint: 'Try again as the user who starts it.',
      cause,
    })
  }
}

/** A process that has the lock file open has the lock, or has just been refused it and ends. */
function withLock(home: string, isMeant: (pid: number) => boolean): number | undefined {
  const file = tried(() => realpathSync(homeFile(home, 'daemon.lock')))
  if (file === undefined) return undefined
  const pids = (tried(() => readdirSync('/proc')) ?? []).map(Number).filter(Number.isInteger)
  return pids.find((pid) => pid !== process.pid && isMeant(pid) && isOpen(file, pid))
}

function isOpen(file: string, pid: number): boolean {
  const folder = `/proc/${pid}/fd`
  const open = tried(() => readdirSync(folder)) ?? []
  return open.some((fd) => tried(() => readlinkSync(join(folder, fd))) === file)
}

function tried<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
