import type { NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { probe } from '../../http/probe.js'
import { type DaemonFile, readDaemonFile } from '../../io/home.js'
import { daemonWithLock, isLocked, processWithLock } from '../../io/home-lock.js'
import { commandLine, isAlive, isDaemonProcess, signal, stopProcess } from '../../io/processes.js'

/** The daemon gives requests in flight 10 s, and then closes what it has open. */
export const STOP_MS = 15_000

export const down: NounSpec = {
  isOfHome: 'named',
  summary: 'Stops the daemon of the home. The daemon finishes requests in flight first, within 10 s.',
  examples: ['down', 'down --home ./desk', 'down --force'],
  options: [{ flags: '--force', summary: 'kill the daemon if it does not answer or does not stop' }],
  async run(context, input) {
    const { home } = context.settings
    const force = input.flag('force')
    const daemon = readDaemonFile(home)
    // A start that has just been refused has the lock file open, too: the daemon that answers is the one that is meant.
    if (daemon && isAlive(daemon.pid) && (await probe(context, daemon.url)).live)
      return stop(context, daemon.pid, force)
    // One that is starting has the lock, and has not written its file yet.
    const locked = daemonWithLock(home)
    if (locked !== undefined && locked !== daemon?.pid) return stop(context, locked, force)
    if (daemon && isAlive(daemon.pid)) {
      await assureOurs(context, daemon, force)
      return stop(context, daemon.pid, force)
    }
    await requireUnlocked(home)
    return report(context, undefined)
  },
}

async function stop(context: Context, pid: number, force: boolean): Promise<ExitStatus> {
  if (!(await stopProcess(context.io, pid, STOP_MS))) {
    if (!force) {
      throw new CliError(EXIT.failed, `The daemon (pid ${pid}) has not stopped within 15 s.`, {
        hint: 'Kill it: svc down --force',
      })
    }
    signal(pid, 'SIGKILL')
    await stopProcess(context.io, pid, STOP_MS)
  }
  return report(context, pid)
}

/** @throws CliError while a process has the lock of the home that cannot be stopped here, or is no daemon */
async function requireUnlocked(home: string): Promise<void> {
  if (!(await isLocked(home))) return
  const pid = processWithLock(home)
  const message =
    pid === undefined
      ? `A daemon is starting in ${home}, or a command works on it. This system does not show its process.`
      : `Process ${pid} works on ${home}: ${commandLine(pid)}`
  throw new CliError(EXIT.failed, message, { hint: 'Wait for its end, or stop it where it was started.' })
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

async function report(context: Context, pid: number | undefined): Promise<ExitStatus> {
  if (context.settings.format) {
    await context.out.record({
      record: { state: 'stopped', pid: pid ?? null },
      fields: [],
      id: 'state',
    })
  }
  context.out.note(
    pid === undefined ? 'No daemon runs in this home: nothing to do.' : `Stopped (pid ${pid}).`,
  )
  return EXIT.done
}
