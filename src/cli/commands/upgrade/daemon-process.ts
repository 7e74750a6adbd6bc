import { isObject, parseJson, textMember } from '../../../client/answers/json.js'
import { LOCAL } from '../../contexts/words.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { checksIn, type Readiness, readinessOf } from '../../http/readiness.js'
import { type DaemonFile, readDaemonFile } from '../../io/home.js'
import { comesTrue, stopProcess } from '../../io/processes.js'
import { STOP_MS } from '../daemon/down.js'
import { settingNames } from '../daemon/temporary-daemon.js'
import { type AtHome, type ByHand, byHand, svcAt } from './by-hand.js'
import type { Installation } from './installation.js'
import { type How, portWords } from './journal.js'
import {
  daemonsOf,
  type Env,
  environmentOf,
  folderOf,
  isOfHome,
  isShown,
  nodeOptionsOf,
  type Package,
  portsOf,
  runningDaemon,
  supervisorOf,
  unitOf,
} from './proc.js'
import { LONG_MS, runProgram } from './run-program.js'

const ASKED_WITHIN_MS = 3_000

/**
 * Returns how the daemon of the home runs; null if none does.
 * @throws CliError (exit 5) for a daemon that `svc up` of this installation did not start, or may not have
 */
export async function howItRuns(installation: Package, facts: ByHand): Promise<How | null> {
  const daemon = runningDaemon(facts.home)
  if (!daemon) return null
  const env = environmentOf(daemon.pid)
  if (env === undefined || !isShown(daemon.pid)) {
    throw byHand('This system does not show how the daemon runs.', 'stopped', facts)
  }
  if (facts.unit !== undefined) {
    const reason = `The daemon (pid ${daemon.pid}) belongs to the unit ${facts.unit.name}, which svc upgrade does not stop and start.`
    throw byHand(reason, 'stopped', facts)
  }
  requireNoUnit('stopped', facts)
  if (!daemonsOf(installation)?.includes(daemon.pid)) {
    const reason = `The daemon of the home (pid ${daemon.pid}) was not started by ${installation.folder}.`
    throw byHand(reason, 'stopped', facts)
  }
  const supervisor = supervisorOf(daemon.pid)
  if (supervisor !== undefined) {
    const reason = `The daemon (pid ${daemon.pid}) is run by ${supervisor}, which starts it again while svc upgrade replaces it.`
    throw new CliError(EXIT.refused, reason, {
      hint: `Nothing was changed. Stop it with ${supervisor}; then ${facts.svc('upgrade')}; then start it with ${supervisor}.`,
    })
  }
  const settings = [...(await settingsIn(env)), ...OF_NODE.filter((name) => env[name])]
  return { ...portsOf(daemon), settings, node: nodeOptionsOf(daemon.pid, installation) }
}

/** @throws CliError (exit 5) where this command runs in the unit of a service, whose end would be that of the daemon that it starts */
export function requireNoUnit(way: 'stopped' | 'own unit', facts: ByHand): void {
  const own = unitOf('self')
  if (own === undefined) return
  const reason = `This command runs in the unit ${own.name}: the daemon that it starts would end with that unit.`
  throw byHand(reason, way, facts)
}

/** Variables that Node itself reads. Without them a daemon may not reach its broker. */
const OF_NODE = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'] as const

/** The settings that a start names on its command line, so that the environment does not matter. */
const SAID_OTHERWISE: ReadonlySet<string> = new Set(['SVC_HOME', 'SVC_PORT', 'SVC_WS_PORT'])

/** Returns the names of the settings that an environment has for the daemon. */
export async function settingsIn(env: Env): Promise<string[]> {
  return (await settingNames(env)).filter((name) => !SAID_OTHERWISE.has(name))
}

/** The part of a command's context that says where it runs. */
interface Surroundings {
  io: Pick<Context['io'], 'env'>
  settings: Pick<Context['settings'], 'home'>
}

/** The environment and the folder in which a daemon starts. */
export interface Launch {
  env: Env
  /** The folder from which the environment may name files. */
  cwd: string | undefined
}

/**
 * Returns what to start the daemon in: that of the one that runs, otherwise that of this command.
 * @throws CliError (exit 5) if this one lacks settings that the daemon had
 */
export function launchFor({ io, settings: { home } }: Surroundings, how: How | null): Launch {
  const running = runningDaemon(home)
  const env = running && environmentOf(running.pid)
  if (env) return { env, cwd: folderOf(running.pid) }
  const missing = how?.settings.filter((name) => !io.env[name]) ?? []
  if (missing.length === 0) return { env: io.env, cwd: undefined }
  throw new CliError(
    EXIT.refused,
    `The daemon had settings in its environment that this one lacks: ${missing.join(', ')}.`,
    { hint: 'Set them again, as for svc up, or write them to config.env in the home.' },
  )
}

/** The part of a command's context with which it waits. */
interface Waits {
  io: Pick<Context['io'], 'sleep'>
}

/** The code of the failure of {@link stopAll}. */
export const STILL_RUNS = 'still_runs'

/**
 * Stops the daemons of the home that this installation runs, also one that is still starting. Nothing is killed.
 * @throws CliError (`still_runs`) when one is not gone after 15 s
 */
export async function stopAll({ io, settings }: AtHome & Waits, installation: Package): Promise<void> {
  const { home } = settings
  const running = runningDaemon(home)
  if (running && daemonsOf(installation) === undefined) {
    const reason = `A daemon runs (pid ${running.pid}), and this system does not show how. Stop it: ${svcAt({ settings })('down')}`
    throw new CliError(EXIT.failed, reason, { code: STILL_RUNS })
  }
  for (const pid of daemonsAt(home, installation)) {
    let isAsked = false
    const mayAsk = async () => {
      isAsked = await mayAskToStop(pid, home)
      return isAsked
    }
    if (await stopProcess(io, pid, STOP_MS, mayAsk)) continue
    const unasked = `It was not asked to stop: it stops already, or does not answer. ${svcAt({ settings })('down')} asks it all the same.`
    throw new CliError(
      EXIT.failed,
      [`The daemon (pid ${pid}) still runs after 15 s.`, ...(isAsked ? [] : [unasked])].join(' '),
      { code: STILL_RUNS },
    )
  }
}

/**
 * Returns whether a daemon may be asked to stop: a second signal would cut the requests in progress of one that stops already. Such a
 * one refuses connections, or new work; one that hangs may have been asked, too. A daemon that starts has no requests, and one that
 * cannot store refuses them.
 */
export async function mayAskToStop(pid: number, home: string): Promise<boolean> {
  const daemon = readDaemonFile(home)
  if (daemon?.pid !== pid) return true
  const state = await readinessAt(daemon)
  return state !== undefined && state !== 'stopping'
}

/** Returns what the daemon says that it does; undefined without an answer of a daemon. */
async function readinessAt({ url }: DaemonFile): Promise<Readiness | undefined> {
  const checks = checksIn(await answerOf(`${url}/health/ready`))
  return checks && readinessOf(checks)
}

/** How a daemon is started, and what it must be then. */
interface Wanted extends Launch {
  installation: Package & Pick<Installation, 'bin'>
  version: string
  /** The id of its home; null if it is not known. */
  id: string | null
}

/**
 * Starts the daemon of the home as it ran before, unless one runs or starts already.
 * @throws CliError when another one answers, or none in time; the reason of `signal`, if it ends the wait
 */
export async function startAs(
  { io, settings }: AtHome & Waits & { settings: Pick<Context['settings'], 'timeoutMs'> },
  how: How,
  wanted: Wanted,
  signal?: AbortSignal,
): Promise<void> {
  const { cwd, env, installation } = wanted
  const timeoutMs = settings.timeoutMs ?? LONG_MS
  const answers = async () => {
    signal?.throwIfAborted()
    return answersAs(settings.home, wanted)
  }
  const isSettled = async () => (await answers()) || !(await isAtWork(settings.home, installation))
  await comesTrue(io, timeoutMs, isSettled)
  if (await answers()) return
  // The environment of the daemon may name another one, for the commands of a person.
  const place = ['--home', settings.home, '--context', LOCAL]
  const words = ['up', '--detach', ...place, ...portWords(how), '--timeout', `${timeoutMs}ms`]
  await runProgram(process.execPath, [...(how.node ?? []), installation.bin, ...words], {
    env,
    limitMs: timeoutMs + STOP_MS,
    ...(cwd !== undefined && { cwd }),
    ...(signal && { signal }),
  })
  if (await comesTrue(io, timeoutMs, answers)) return
  const errors = svcAt({ settings })('log app --errors')
  throw new CliError(EXIT.failed, `The daemon does not accept requests: ${errors}`)
}

/**
 * Returns whether a daemon starts, runs or stops in the home: another one would end at once beside it. One that says nothing may do so
 * for ever.
 */
async function isAtWork(home: string, installation: Package): Promise<boolean> {
  for (const pid of daemonsAt(home, installation)) {
    const daemon = readDaemonFile(home)
    if (daemon?.pid !== pid || (await readinessAt(daemon)) !== undefined) return true
  }
  return false
}

const daemonsAt = (home: string, installation: Package): number[] =>
  (daemonsOf(installation) ?? []).filter((pid) => isOfHome(pid, home))

/** Returns whether the daemon of a home accepts requests. @throws CliError when it is another one than wanted */
export async function answersAs(home: string, { id, version }: Pick<Wanted, 'id' | 'version'>) {
  const daemon = runningDaemon(home)
  if (!daemon) return false
  const [health, said] = await Promise.all(
    ['/health', '/version'].map((path) => answerOf(`${daemon.url}${path}`)),
  )
  if ((await readinessAt(daemon)) !== 'accepting' || !isObject(health) || !isObject(said)) return false
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
