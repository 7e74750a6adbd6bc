import { runBuilt } from './built-program.js'
import { type Child, type Exit, startChild } from './children.js'
import type { DaemonProcess, Env } from './daemon-process.js'
import { SVC } from './daemon-process.js'

/** A finished command: its exit, and all of its output. */
export interface Finished extends Exit {
  output: string
}

/** Starts a command of `svc` in the home of a daemon. */
export function startCommand(daemon: DaemonProcess, args: readonly string[], env: Env = {}): Child {
  return startChild(process.execPath, [SVC, ...args, '--home', daemon.home], { HOME: daemon.home, ...env })
}

/** Runs a command of `svc` in the home of a daemon to its end, in this process unless it dies at a crash point. */
export async function runCommand(
  daemon: DaemonProcess,
  args: readonly string[],
  env: Env = {},
): Promise<Finished> {
  if ('SVC_CRASH_AT' in env) return finished(startCommand(daemon, args, env))
  const words = [...args, '--home', daemon.home]
  const ran = await runBuilt(words, { env: { HOME: daemon.home, ...env }, stdin: async () => '' })
  return { code: ran.exit, signal: null, output: ran.stdout + ran.stderr }
}

async function finished(child: Child): Promise<Finished> {
  let output = ''
  for (const stream of [child.process.stdout, child.process.stderr]) {
    stream?.on('data', (chunk) => {
      output += String(chunk)
    })
  }
  return { ...(await child.exited), output }
}
