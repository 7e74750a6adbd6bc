import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { Io } from './io.js'

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

/** The state follows the name in parentheses, and the name may contain any character. */
const isZombie = (pid: number): boolean => factsOf(pid)[0] === 'Z'

/**
 * Returns when a process was started, in ticks since the start of the system (Linux); undefined elsewhere, and without
 * such a process. A number that a new process has got has another start.
 */
export const startOf = (pid: number): string | undefined => factsOf(pid)[STARTED]

/** The place of the start among the facts that follow the name of a process: field 22 of /proc/PID/stat. */
const STARTED = 19

/** Returns the fields of /proc/PID/stat from the third on, which is the state; none without such a process, and elsewhere than on Linux. */
export function factsOf(pid: number, proc = '/proc'): string[] {
  try {
    const text = readFileSync(join(proc, String(pid), 'stat'), 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
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

/** Returns whether a process may be a daemon: the number in its file may belong to another program by now. */
export function isDaemonProcess(pid: number): boolean {
  const line = isAlive(pid) ? commandLine(pid) : ''
  return line === undefined || / up( |$)/.test(line)
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

/**
 * Asks a process to stop, once, and waits until it is gone: that one, not another one with its number.
 * @param mayAsk says whether it may be asked now; until then it is only waited for
 * @returns false when it still runs after `limitMs`
 */
export function stopProcess(
  io: Pick<Io, 'sleep'>,
  pid: number,
  limitMs: number,
  mayAsk: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  const start = startOf(pid)
  const isGone = () => !isAlive(pid) || startOf(pid) !== start
  let isAsked = false
  return comesTrue(io, limitMs, async () => {
    if (!isAsked && (await mayAsk()) && !isGone()) isAsked = signal(pid, 'SIGTERM')
    return isGone()
  })
}

const LOOK_MS = 50

/**
 * Waits until a condition holds, by a clock that nobody sets: the time of day may jump meanwhile.
 * @returns false when it does not hold after `limitMs`
 */
export async function comesTrue(
  io: Pick<Io, 'sleep'>,
  limitMs: number,
  condition: () => Promise<boolean>,
): Promise<boolean> {
  const until = performance.now() + limitMs
  while (!(await condition())) {
    if (performance.now() > until) return false
    await io.sleep(LOOK_MS)
  }
  return true
}
