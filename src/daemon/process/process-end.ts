import { setTimeout as delay } from 'node:timers/promises'

/** A file that takes longer at the end of a stop is on a disk that hangs. */
const FILES_LIMIT_MS = 1_000
const FILES_POLL_MS = 50
/** The time in which a process ends by itself, once its start has failed and all is closed. */
const FAILED_START_LIMIT_MS = 2_000

/** Returns whether a thread still waits for a file. Node does not exit before it, not even by `process.exit`. */
const isHeld = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'))

/** Waits for files that are still being read or written, but not for a disk that hangs. */
export async function filesAtRest(): Promise<void> {
  for (let waited = 0; isHeld() && waited < FILES_LIMIT_MS; waited += FILES_POLL_MS)
    await delay(FILES_POLL_MS)
}

/** Ends a process that a hung disk holds. All else is closed or given up by now. */
export function endHeldProcess(): void {
  if (isHeld()) process.kill(process.pid, 'SIGKILL')
}

/**
 * Ends the process of a failed start, if something that could not be closed still holds it shortly afterwards. It would
 * keep the lock of the home, and its supervisor would not start another one.
 */
export function endAfterFailedStart(): void {
  const end = () => {
    endHeldProcess()
    process.exit(1)
  }
  setTimeout(end, FAILED_START_LIMIT_MS).unref()
}
