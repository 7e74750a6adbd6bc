import { readFileSync } from 'node:fs'

/**
 * Returns true when a process with this number runs. A process of another user counts as running, a zombie
 * does not.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isZombie(pid)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function isZombie(pid: number): boolean {
  try {
    // The state follows the name in parentheses, and the name may contain any character.
    return /\) Z [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Returns the command line of a process on systems that show it (Linux); undefined elsewhere. */
export function commandLine(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return undefined
  }
}

/** Sends a signal; returns false when the process no longer exists. */
export function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch {
    return false
  }
}
