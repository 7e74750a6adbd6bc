import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY = '/dev/shm'
/** A home of a rehearsal takes about 2 MB. */
const NEEDED_BYTES = 64 * 1024 * 1024

/**
 * Returns the folder for the homes of rehearsals: in memory where the system has one, because a case waits for a
 * disk longer than it computes. `TMPDIR` overrides it.
 */
export function rehearsalFolder(): string {
  if (process.env.TMPDIR) return tmpdir()
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize > NEEDED_BYTES ? MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}
