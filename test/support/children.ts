import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Set by the global setup and inherited by every process of one test run, so that its own are told from others. */
export const RUN_MARKER = 'E2E_RUN'

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Child {
  process: ChildProcess
  exited: Promise<Exit>
}

const alive = new Set<ChildProcess>()

/** Starts a process that must not outlive its test file. It sees only the environment it is given. */
export function startChild(
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
  { stdin = 'ignore' as 'ignore' | 'pipe' } = {},
): Child {
  const marker = process.env[RUN_MARKER]
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, ...(marker && { [RUN_MARKER]: marker }), ...env },
    stdio: [stdin, 'pipe', 'pipe'],
  })
  alive.add(child)
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => {
      alive.delete(child)
      resolve({ code, signal })
    })
  })
  return { process: child, exited }
}

/** Kills what this test file has left behind and tells what it was. */
export async function killLeftovers(): Promise<string[]> {
  const left = [...alive]
  for (const child of left) child.kill('SIGKILL')
  await Promise.all(left.map((child) => new Promise((resolve) => child.once('exit', resolve))))
  return left.map((child) => child.spawnargs.join(' '))
}

/** Processes of this run, found by the marker in their environment (Linux; elsewhere none is found). */
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
