import { readFileSync } from 'node:fs'

/** Whether a process of that number runs. One of another user counts as running, one that only waits to be reaped not. */
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
    // The state follows the name in parentheses, which may itself hold anything.
    return /\) Z [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** The command line of a process where the system tells it (Linux); undefined elsewhere. */
export function commandLine(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return undefined
  }
}

/** Sends a signal; false when the process is gone already. */
export function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch {
    return false
  }
}
