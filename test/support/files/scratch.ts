import { accessSync, constants, mkdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const NEEDED_BYTES = 2 ** 30

/**
 * The in-memory folder for the temporary files of a run: thousands of small databases would otherwise wait
 * for a disk. Undefined when the system has no room for them, or when `TMPDIR` is set.
 */
export const SCRATCH = hasRoom() ? join(MEMORY, `svc-unit-${process.pid}`) : undefined

function hasRoom(): boolean {
  if (process.env.TMPDIR) return false
  try {
    accessSync(MEMORY, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize > NEEDED_BYTES
  } catch {
    return false
  }
}

export function setup(): void {
  if (SCRATCH) mkdirSync(SCRATCH, { recursive: true, mode: 0o700 })
}

export function teardown(): void {
  if (SCRATCH) rmSync(SCRATCH, { recursive: true, force: true })
}
