import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/**
 * The global setup sets this variable and every process of one test run inherits it, so that a run recognises
 * its own processes.
 */
export const RUN_MARKER = 'E2E_RUN'

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Child {
  process: ChildProcess
  /** Resolves when the process has ended and all of its output has arrived. */
  exited: Promise<Exit>
}

/** The day of `npm run test:days`, which holds for all processes. */
const FAKE_TIME = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name === 'LD_PRELOAD' || name.startsWith('FAKETIME')),
)

const alive = new Set<ChildProcess>()

interface ChildOptions {
  stdin?: 'ignore' | 'pipe'
  /** The number of another user whose process it is, and of that user's group. Only root may start one. */
  user?: number
}

/** Starts a process that must not outlive its test file. The process sees only the given environment. */
export function startChild(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
  { stdin = 'ignore', user }: ChildOptions = {},
): Child {
  const marker = process.env[RUN_MARKER]
  const child = spawn(command, args, {
    ...(user !== undefined && { uid: user, gid: user }),
    env: { PATH: process.env.PATH, ...(marker && { [RUN_MARKER]: marker }), ...FAKE_TIME, ...env },
    stdio: [stdin, 'pipe', 'pipe'],
  })
  alive.add(child)
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', () => void alive.delete(child))
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  return { process: child, exited }
}

/** Kills the processes that this test file left behind, and returns their descriptions. */
export async function killLeftovers(): Promise<string[]> {
  const left = [...alive]
  for (const child of left) child.kill('SIGKILL')
  await Promise.all(left.map((child) => new Promise((resolve) => child.once('exit', resolve))))
  return left.map((child) => child.spawnargs.join(' '))
}

/** Finds the processes of this run by the marker in their environment (on Linux; elsewhere it finds none). */
export function processesOfRun(marker: string): number[] {
  return numbersIn('/proc').filter((pid) => {
    if (pid === process.pid) return false
    try {
      const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
      const executable = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return entries.includes(`${RUN_MARKER}=${marker}`) && /bin\/svc\0|fake-kite/.test(executable)
    } catch {
      return false
    }
  })
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}
