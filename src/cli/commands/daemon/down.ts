import type { NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { probe } from '../../http/probe.js'
import { type DaemonFile, readDaemonFile } from '../../io/home.js'
import { commandLine, isAlive, isDaemonProcess, signal, stopProcess } from '../../io/processes.js'

/** The daemon gives requests in flight 10 s, and then closes what it has open. */
export const STOP_MS = 15_000

export const down: NounSpec = {
  isOfHome: 'named',
  summary: 'Stops the daemon of the home. The daemon finishes requests in flight first, within 10 s.',
  examples: ['down', 'down --home ./desk', 'down --force'],
  options: [{ flags: '--force', summary: 'kill the daemon if it does not answer or does not stop' }],
  async run(context, input) {
    const daemon = readDaemonFile(context.settings.home)
    if (!daemon || !isAlive(daemon.pid)) return report(context, undefined)
    await assureOurs(context, daemon, input.flag('force'))
    if (!(await stopProcess(context.io, daemon.pid, STOP_MS))) {
      if (!input.flag('force')) {
        throw new CliError(EXIT.failed, `The daemon (pid ${daemon.pid}) has not stopped within 15 s.`, {
          hint: 'Kill it: svc down --force',
        })
      }
      signal(daemon.pid, 'SIGKILL')
      await stopProcess(context.io, daemon.pid, STOP_MS)
    }
    return report(context, daemon)
  },
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
