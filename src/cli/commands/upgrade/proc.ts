import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type DaemonFile, homeDirectory, portOf, readDaemonFile } from '../../io/home.js'
import { daemonWithLock } from '../../io/home-lock.js'
import { factsOf, isAlive, isDaemonProcess } from '../../io/processes.js'

export type Env = Readonly<Record<string, string | undefined>>

/** The folders from which a daemon of an installation runs. */
export interface Package {
  folder: string
  stage: string
}

/** A service of systemd. */
export interface Unit {
  name: string
  isOfUser: boolean
}

/** Returns the daemon of a home; undefined if none runs. */
export function runningDaemon(home: string): DaemonFile | undefined {
  const daemon = readDaemonFile(home)
  return daemon && isAlive(daemon.pid) && isDaemonProcess(daemon.pid) ? daemon : undefined
}

/** The ports of a daemon; null without a stream of market data. */
export interface Ports {
  port: number
  ws_port: number | null
}

export const portsOf = ({ url, wsUrl }: DaemonFile): Ports => ({
  port: portOf(url),
  ws_port: wsUrl === undefined ? null : portOf(wsUrl),
})

/** Returns the service to which a process belongs; undefined for a session of a user, and where the system shows none. */
export const unitOf = (pid: number | 'self'): Unit | undefined => unitIn(textOf(`/proc/${pid}/cgroup`))

/** Returns whether the system shows how a process runs (Linux). */
export const isShown = (pid: number): boolean =>
  environmentOf(pid) !== undefined && textOf(`/proc/${pid}/cgroup`) !== ''

/** Returns the service in a text of /proc/PID/cgroup to which the process belongs; undefined for a session of a user. */
export function unitIn(cgroup: string): Unit | undefined {
  for (const line of cgroup.split('\n')) {
    const parts = line.split('/')
    const name = parts.findLast((part) => part.endsWith('.service') && !OF_A_USER.test(part))
    if (name !== undefined) return { name, isOfUser: parts.some((part) => OF_A_USER.test(part)) }
  }
  return undefined
}

/** The systemd of a user, in which the units of that user run. */
const OF_A_USER = /^user@\d+\.service$/

/** Programs that start again what they run, as soon as it ends. */
const SUPERVISOR = /(?:^|[ /])(supervisord|runsv|s6-supervise|circusd|PM2)(?= |$)/

/** Returns the name of the supervisor that runs a process, if it is a known one; undefined for one of a terminal. */
export function supervisorOf(pid: number, proc = '/proc'): string | undefined {
  const [, , , , terminal] = factsOf(pid, proc)
  if (terminal !== '0') return undefined
  for (let at = parentOf(pid, proc); at > 1; at = parentOf(at, proc)) {
    const name = SUPERVISOR.exec(textOf(join(proc, String(at), 'cmdline')).replaceAll('\0', ' '))?.[1]
    if (name !== undefined) return name
  }
  return undefined
}

const parentOf = (pid: number, proc: string): number => Number(factsOf(pid, proc)[1] ?? 0)

/** Returns the environment that a process was started with; undefined on systems that do not show it. */
export function environmentOf(pid: number): Env | undefined {
  const pairs = textOf(`/proc/${pid}/environ`).split('\0')
  if (pairs.length < 2) return undefined
  return Object.fromEntries(
    pairs.flatMap((pair) => {
      const at = pair.indexOf('=')
      return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)]] : []
    }),
  )
}

/** Returns the folder that a process works in; undefined if the system does not show it, or it is gone. */
export function folderOf(pid: number): string | undefined {
  const folder = linkOf(`/proc/${pid}/cwd`)
  return folder !== undefined && existsSync(folder) ? folder : undefined
}

/**
 * Returns the processes that run `svc up` of an installation, in its place or from the stage of an upgrade; undefined where the system
 * does not show them (elsewhere than Linux).
 */
export function daemonsOf(installation: Package, proc = '/proc'): number[] | undefined {
  return pidsIn(proc)?.filter((pid) => {
    const { options, words } = startOf(pid, installation, proc)
    return options !== undefined && words.includes('up')
  })
}

/** Returns the options of Node with which a process runs a program of an installation. */
export const nodeOptionsOf = (pid: number, installation: Package, proc = '/proc'): string[] =>
  startOf(pid, installation, proc).options ?? []

/** Returns the words of a process, and those before the program of an installation; undefined if it runs something else. */
function startOf(pid: number, { folder, stage }: Package, proc: string) {
  const folders = [folder, stage].map((path) => `${realPath(path) ?? path}/`)
  const [, ...words] = textOf(join(proc, String(pid), 'cmdline')).split('\0')
  const at = linkOf(join(proc, String(pid), 'cwd')) ?? '/'
  const program = words.findIndex((word) => {
    const file = word.includes('/') ? realPath(resolve(at, word)) : undefined
    return folders.some((one) => file?.startsWith(one))
  })
  return { words, options: program === -1 ? undefined : words.slice(0, program) }
}

/** Returns whether a process is the daemon of a home: the one that says so, or one that was started for it and has not got there. */
export function isOfHome(pid: number, home: string): boolean {
  if (readDaemonFile(home)?.pid === pid) return true
  const words = textOf(`/proc/${pid}/cmdline`).split('\0')
  const at = words.indexOf('--home')
  const env = environmentOf(pid) ?? {}
  const named = at === -1 ? env.SVC_HOME || ownHome(env) : words[at + 1]
  const isNamed = named !== undefined && resolve(linkOf(`/proc/${pid}/cwd`) ?? '/', named) === home
  return isNamed || daemonWithLock(home) === pid
}

/** Returns the home of a user who names none; undefined if the environment does not say it. */
const ownHome = ({ HOME, XDG_DATA_HOME }: Env): string | undefined =>
  HOME || XDG_DATA_HOME
    ? homeDirectory(undefined, { env: { XDG_DATA_HOME }, userHome: HOME ?? '' })
    : undefined

/**
 * Returns whether a process has loaded its native modules from a folder, or from what has been moved there since (Linux). Its command
 * line says only where the link of the command leads by now.
 */
export const runsFrom = (pid: number, folder: string, proc = '/proc'): boolean =>
  textOf(join(proc, String(pid), 'maps')).includes(`${realPath(folder) ?? folder}/`)

const realPath = (path: string): string | undefined => tried(() => realpathSync(path))
const linkOf = (path: string): string | undefined => tried(() => readlinkSync(path))
const textOf = (file: string): string => tried(() => readFileSync(file, 'utf8')) ?? ''

function pidsIn(proc: string): number[] | undefined {
  const pids = tried(() => readdirSync(proc))
    ?.map(Number)
    .filter(Number.isInteger)
  return pids && pids.length > 0 ? pids : undefined
}

function tried<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
