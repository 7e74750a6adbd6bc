import { readFileSync } from 'node:fs'
import { isObject, parseJson, textMember } from '../../../client/answers/json.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { type DaemonFile, portOf, readDaemonFile } from '../../io/home.js'
import { isAlive, isDaemonProcess } from '../../io/processes.js'
import { stopDaemon } from '../daemon/down.js'
import { foreignEnv } from '../daemon/temporary-daemon.js'
import { type ByHand, byHand } from './installation.js'
import type { How } from './journal.js'
import { runProgram } from './run-program.js'

const LOOK_MS = 100
const ASKED_WITHIN_MS = 3_000
/** How long a start may take, with everything that the daemon does before it accepts requests. */
const START_MS = 300_000

type Env = Readonly<Record<string, string | undefined>>

/** Returns the daemon of a home; undefined if none runs. */
export function runningDaemon(home: string): DaemonFile | undefined {
  const daemon = readDaemonFile(home)
  return daemon && isAlive(daemon.pid) && isDaemonProcess(daemon.pid) ? daemon : undefined
}

/**
 * Returns how the daemon of the home runs; null if none does.
 * @throws CliError (exit 5) for a daemon that this user does not stop and start: one of the whole system, or of a container
 */
export async function howItRuns({ io, settings }: Context, facts: ByHand): Promise<How | null> {
  const daemon = runningDaemon(settings.home)
  if (!daemon) return null
  if (daemon.pid === 1) throw byHand('The daemon is the container.', 'container', facts)
  const cgroup = textOf(`/proc/${daemon.pid}/cgroup`)
  const system = systemUnitIn(cgroup)
  if (system !== undefined) {
    const reason = `The daemon belongs to ${system}, a unit of the whole system.`
    throw byHand(reason, 'systemd', { ...facts, unit: system })
  }
  return {
    port: portOf(daemon.url),
    ws_port: daemon.wsUrl === undefined ? null : portOf(daemon.wsUrl),
    unit: await unitOf(daemon.pid, cgroup, io.env),
    env: await settingsOf(environmentOf(daemon.pid) ?? io.env),
  }
}

/** Returns the unit in a text of /proc/PID/cgroup, if systemd started the process for the whole system. */
export const systemUnitIn = (cgroup: string): string | undefined =>
  /\/system\.slice\/(?:[^\n]*\/)?([^/\n]+\.service)$/m.exec(cgroup)?.[1]

/** Returns the unit in a text of /proc/PID/cgroup, if the systemd of a user started the process. */
export const userUnitIn = (cgroup: string): string | undefined =>
  /\/user@\d+\.service\/(?:[^\n]*\/)?([^/\n]+\.service)$/m.exec(cgroup)?.[1]

/** A terminal may be a unit too, so the unit must say that the daemon is its process. */
async function unitOf(pid: number, cgroup: string, env: Env): Promise<string | null> {
  const unit = userUnitIn(cgroup)
  if (unit === undefined) return null
  const words = ['--user', 'show', '--property=MainPID', '--value', unit]
  const main = await runProgram('systemctl', words, { env }).catch(() => '')
  return Number(main.trim()) === pid ? unit : null
}

/** Returns the environment to start the daemon in: that of the one that runs, otherwise this one with its settings. */
export async function environmentFor({ io, settings }: Context, how: How | null): Promise<Env> {
  if (!how) return io.env
  const daemon = runningDaemon(settings.home)
  return (daemon && environmentOf(daemon.pid)) ?? { ...(await foreignEnv(io.env)), ...how.env }
}

/** Returns the environment that a process was started with; undefined on systems that do not show it. */
function environmentOf(pid: number): Env | undefined {
  const pairs = textOf(`/proc/${pid}/environ`).split('\0')
  if (pairs.length < 2) return undefined
  return Object.fromEntries(
    pairs.flatMap((pair) => {
      const at = pair.indexOf('=')
      return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)]] : []
    }),
  )
}

/** Returns what an environment has for the daemon. */
async function settingsOf(env: Env): Promise<Record<string, string>> {
  const foreign = await foreignEnv(env)
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || Object.hasOwn(foreign, name) ? [] : [[name, value]],
    ),
  )
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Stops the daemon of the home, if it runs. @throws CliError when it does not stop */
export async function stopAs(context: Context, how: How | null, force: boolean): Promise<void> {
  if (how?.unit) await runProgram('systemctl', ['--user', 'stop', how.unit], { env: context.io.env })
  if (runningDaemon(context.settings.home)) await stopDaemon(context, force)
}

/** What a daemon must be once it is started. */
interface Wanted {
  /** The command that starts it. */
  command: string
  version: string
  /** The id of its home; null if it is not known. */
  id: string | null
  /** The environment of the process. */
  env: Env
}

/** Starts the daemon of the home as it ran before. @throws CliError when another one answers, or none within five minutes */
export async function startAs(context: Context, how: How, wanted: Wanted): Promise<void> {
  const { io, settings } = context
  const timeoutMs = settings.timeoutMs ?? START_MS
  const until = io.now() + timeoutMs
  if (how.unit) {
    const systemctl = (verb: string) =>
      runProgram('systemctl', ['--user', verb, how.unit ?? ''], { env: io.env })
    // A unit that failed too often is not started any more.
    await systemctl('reset-failed').catch(() => '')
    await systemctl('start')
  } else {
    const ports = ['--port', String(how.port), ...(how.ws_port ? ['--ws-port', String(how.ws_port)] : [])]
    const words = ['up', '--detach', '--home', settings.home, ...ports, '--timeout', `${timeoutMs}ms`]
    await runProgram(process.execPath, [wanted.command, ...words], { env: wanted.env, detached: true })
  }
  while (!(await answersAs(settings.home, wanted))) {
    if (io.now() > until) {
      throw new CliError(EXIT.failed, 'The daemon does not accept requests: svc log app --errors')
    }
    await io.sleep(LOOK_MS)
  }
}

/** Returns whether the daemon of a home accepts requests. @throws CliError when it is another one than wanted */
export async function answersAs(home: string, { id, version }: Pick<Wanted, 'id' | 'version'>) {
  const daemon = runningDaemon(home)
  if (!daemon) return false
  const [health, ready, said] = await Promise.all(
    ['/health', '/health/ready', '/version'].map((path) => answerOf(`${daemon.url}${path}`)),
  )
  const checks = isObject(ready) && isObject(ready.checks) ? ready.checks : {}
  if (textMember(checks, 'requests') !== 'accepted' || !isObject(health) || !isObject(said)) return false
  const found = { id: textMember(health, 'id'), version: textMember(said, 'version') }
  if (found.version === version && (id === null || found.id === id)) return true
  const what =
    found.version === version ? 'is of another home' : `is version ${found.version}, not ${version}`
  throw new CliError(EXIT.failed, `The daemon that answers at ${daemon.url} ${what}.`)
}

/** Asks the daemon with what Node brings along: the files of this program may have moved. */
async function answerOf(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ASKED_WITHIN_MS) })
    return parseJson(await response.text())
  } catch {
    return undefined
  }
}
