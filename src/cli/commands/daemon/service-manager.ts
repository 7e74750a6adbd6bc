import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Io } from '../../io/io.js'

/** It answers within milliseconds. A manager that hangs must not hold up a daemon that is ready. */
const LIMIT_MS = 5_000

/**
 * Tells the service manager that the daemon takes requests, as a unit with `Type=notify` waits for it. Without a manager
 * (no `NOTIFY_SOCKET`) it does nothing. Node has no sockets of the kind that systemd listens at, so its own program speaks.
 * @returns why the manager could not be told; undefined if it was, or if there is none
 */
export async function tellReady(env: Io['env']): Promise<string | undefined> {
  if (!env.NOTIFY_SOCKET) return undefined
  const { PATH, NOTIFY_SOCKET } = env
  try {
    await promisify(execFile)('systemd-notify', ['--ready'], {
      env: { PATH, NOTIFY_SOCKET },
      timeout: LIMIT_MS,
    })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
