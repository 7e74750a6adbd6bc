import type { NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { probe } from '../../http/probe.js'
import { type DaemonFile, readDaemonFile } from '../../io/home.js'
import { commandLine, isAlive, isDaemonProcess, signal } from '../../io/processes.js'

const STOP_MS = 10_000
const LOOK_MS = 50

export const down: NounSpec = {
  isOfHome: true,
  summary: 'Stops the daemon of the home. The daemon finishes requests in flight first, within 10 s.',
  examples: ['down', 'down --home ./desk', 'down --force'],
  options: [{ flags: '--force', summary: 'kill the daemon if it does not answer or does not stop' }],
  run: async (context, input) => report(context, await stopDaemon(context, input.flag('force'))),
}

/**
 * Stops the daemon of the home. @returns the daemon that ran; undefined if none did
 * @throws CliError if it has not stopped within 10 s, or does not answer: only `force` kills it then
 */
export async function stopDaemon(context: Context, force: boolean): Promise<DaemonFile | undefined> {
  const daemon = readDaemonFile(context.settings.home)
  if (!daemon || !isAlive(daemon.pid)) return undefined
  await assureOurs(context, daemon, force)
  if (!signal(daemon.pid, 'SIGTERM') || (await gone(context, daemon.pid))) return daemon
  if (!force) {
    throw new CliError(EXIT.failed, `The daemon (pid ${daemon.pid}) has not stopped within 10 s.`, {
      hint: 'Kill it: svc down --force',
    })
  }
  signal(daemon.pid, 'SIGKILL')
  await gone(context, daemon.pid)
  return daemon
}

/**
 * Refuses to signal a process that does not answer as our daemon: the pid in the file may belong to another
 * process by now.
 */
async function assureOurs(context: Context, daemon: DaemonFile, force: boolean): Promise<void> {
  if ((await probe(context, daemon.url)).live) return
  const isDaemon = isDaemonProcess(daemon.pid)
  if (force && isDaemon) return
  throw new CliError(EXIT.failed, `Process ${daemon.pid} does not answer as the daemon at ${daemon.url}.`, {
    hint: isDaemon ? 'Kill it: svc down --force' : `It is another program: ${commandLine(daemon.pid)}`,
  })
}

async function gone(context: Context, pid: number): Promise<boolean> {
  const until = context.io.now() + STOP_MS
  while (isAlive(pid)) {
    if (context.io.now() > until) return false
    await context.io.sleep(LOOK_MS)
  }
  return true
}

async function report(context: Context, daemon: DaemonFile | undefined): Promise<ExitStatus> {
  if (context.settings.format) {
    await context.out.record({
      record: { state: 'stopped', pid: daemon?.pid ?? null },
      fields: [],
      id: 'state',
    })
  }
  context.out.note(daemon ? `Stopped (pid ${daemon.pid}).` : 'No daemon runs in this home: nothing to do.')
  return EXIT.done
}
