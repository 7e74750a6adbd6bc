import { existsSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { cellText } from '../../../views/table/cells.js'
import { isAtHome, isLocal } from '../../contexts/target.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { probe } from '../../http/probe.js'
import { type HomeFile, homeFile, homePort, portOf, readDaemonFile } from '../../io/home.js'
import { daemonWithLock } from '../../io/home-lock.js'
import { isAlive } from '../../io/processes.js'
import { svcAt } from '../upgrade/by-hand.js'
import { cutOffText, readJournal } from '../upgrade/journal.js'
import { proxyProblemOf } from './config.js'

export interface Finding {
  status: 'ok' | 'warn' | 'fail'
  detail: string
  /** The repair. */
  fix?: string
}

export interface HealthCheck {
  name: string
  /** True if it is about this machine and its home, whatever daemon the command asks. */
  isHere?: true
  find(context: Context): Promise<Finding>
}

export const ok = (detail: string): Finding => ({ status: 'ok', detail })
export const warn = (detail: string, fix: string): Finding => ({ status: 'warn', detail, fix })
export const fail = (detail: string, fix: string): Finding => ({ status: 'fail', detail, fix })

const OLDEST_NODE = [20, 19] as const
const MEBIBYTE = 1024 * 1024
const SCARCE_DISK = { fail: 100 * MEBIBYTE, warn: 1024 * MEBIBYTE }
const LARGE_WAL = 64 * MEBIBYTE
const CLOCK_SKEW_MS = 2000

/** The checks of `svc doctor`, in this order. */
export const CHECKS: readonly HealthCheck[] = [
  { name: 'node', isHere: true, find: async () => nodeVersion() },
  {
    name: 'home',
    isHere: true,
    find: async (context) => mode(context.settings.home, 0o077, 'svc up creates it', 'chmod 700'),
  },
  ...(['config.env', 'apikey.json', 'session.json'] as const).map((name) => ({
    name,
    isHere: true as const,
    find: async (context: Context) => secretFile(context, name),
  })),
  { name: 'writable', isHere: true, find: async (context) => writable(context.settings.home) },
  { name: 'disk', isHere: true, find: diskSpace },
  { name: 'wal', isHere: true, find: async (context) => walSize(context) },
  { name: 'proxy', isHere: true, find: proxyHeaders },
  { name: 'daemon', find: daemonState },
  { name: 'port', isHere: true, find: portState },
  { name: 'version', find: versions },
  { name: 'upgrade', isHere: true, find: async (context) => upgradeState(context) },
  { name: 'clock', find: clock },
  { name: 'session', find: (context) => credential(context, sessionState) },
  { name: 'apikey', find: (context) => credential(context, keyState) },
  { name: 'broker', find: (context) => credential(context, brokerState) },
  { name: 'calendar', find: (context) => credential(context, calendarState) },
  { name: 'backup', find: (context) => credential(context, backupState) },
]

export function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const enough = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
  return enough
    ? ok(`node ${process.versions.node}`)
    : fail(`node ${process.versions.node}`, `install node ${OLDEST_NODE.join('.')} or newer`)
}

function mode(path: string, forbidden: number, absent: string, repair: string): Finding {
  if (!existsSync(path)) return warn(`${path} does not exist`, absent)
  const bits = statSync(path).mode & 0o777
  const shown = `${path} (${bits.toString(8).padStart(4, '0')})`
  return (bits & forbidden) === 0 ? ok(shown) : fail(`other users can access ${shown}`, `${repair} ${path}`)
}

/**
 * Checks with a real write, because permissions are not enough: a file system may be mounted read-only, for
 * root too.
 */
export function writable(home: string): Finding {
  if (!existsSync(home)) return ok(`${home} does not exist yet`)
  const probe = join(home, `.doctor-${process.pid}`)
  try {
    // Not empty, because a full disk accepts empty files.
    writeFileSync(probe, 'svc doctor\n', { flag: 'wx', mode: 0o600 })
    return ok(`${home} is writable`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return fail(
      `${home} is not writable: ${reason}`,
      'make it writable for this user (chown, chmod, mount it read-write), or free some disk space',
    )
  } finally {
    if (existsSync(probe)) unlinkSync(probe)
  }
}

function secretFile(context: Context, name: HomeFile): Finding {
  const path = homeFile(context.settings.home, name)
  const absent = { 'apikey.json': 'svc setup, or svc apikey show --save', 'session.json': 'svc login' }[
    String(name)
  ]
  return mode(path, 0o077, absent ?? 'svc up creates it', 'chmod 600')
}

async function diskSpace(context: Context): Promise<Finding> {
  let path = context.settings.home
  while (!existsSync(path)) path = dirname(path)
  const { bavail, bsize } = await statfs(path)
  const free = bavail * bsize
  const detail = `${Math.floor(free / MEBIBYTE).toLocaleString('en-IN')} MiB free`
  if (free < SCARCE_DISK.fail)
    return fail(detail, 'free some space: orders are refused when the disk is full')
  return free < SCARCE_DISK.warn ? warn(detail, 'free some space') : ok(detail)
}

function walSize(context: Context): Finding {
  const sizes = ['svc.db', 'sandbox.db', 'logs.db'].map((name) => {
    const file = join(context.settings.home, `${name}-wal`)
    return existsSync(file) ? statSync(file).size : 0
  })
  const largest = Math.max(...sizes)
  const detail = `${(largest / MEBIBYTE).toFixed(1)} MiB at most`
  return largest > LARGE_WAL
    ? warn(detail, 'an open reader may block the checkpoint: svc down, then svc up')
    : ok(detail)
}

/** Checks the settings of the home: a client behind a proxy must not be able to make up its address. */
async function proxyHeaders(context: Context): Promise<Finding> {
  const found = await proxyProblemOf(context)
  return found ? warn(found.problem, found.repair) : ok('no client can make up its address')
}

async function daemonState(context: Context): Promise<Finding> {
  const { url } = context.target
  const { accepts, failure, ready } = await probe(context)
  if (ready) return ok(`ready at ${url}`)
  if (accepts)
    return fail(`not ready for orders at ${url}: no broker session in Live mode`, 'svc broker login')
  if (failure === undefined) return warn(`not ready at ${url}`, 'svc status; see the log')
  const starting = isAtHome(context.target) ? daemonWithLock(context.settings.home) : undefined
  if (failure.code === 'no_daemon' && starting !== undefined)
    return warn(`starting (pid ${starting})`, 'wait for it; see the log')
  return failure.code === 'no_daemon'
    ? warn(`no daemon at ${url}`, isLocal(context.target) ? 'svc up --detach' : (failure.hint ?? ''))
    : warn(failure.message, 'svc status; see the log')
}

export async function portState(context: Context): Promise<Finding> {
  const file = readDaemonFile(context.settings.home)
  if (file && isAlive(file.pid)) return ok(`${portOf(file.url)} is used by the daemon`)
  if (context.target.source === 'named' && (await probe(context)).live) {
    return ok(`${portOf(context.target.url)} is used by the daemon`)
  }
  const { env } = context.io
  const port = homePort(context.settings.home, env)
  if (env.SVC_PORT === '0') return ok('SVC_PORT is 0: svc up picks a free port')
  return (await isFree(port))
    ? ok(`${port} is free`)
    : warn(`${port} is taken`, 'svc up --port 0, or set SVC_PORT')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

async function versions(context: Context): Promise<Finding> {
  const { version } = await probe(context)
  if (version === undefined) return ok(`client ${context.version}`)
  const detail = `client ${context.version}, daemon ${version}`
  return version === context.version ? ok(detail) : warn(detail, 'restart the daemon: svc down, then svc up')
}

/** An upgrade that was cut off leaves a home that starts, but not what the user wanted. */
function upgradeState({ settings }: Context): Finding {
  try {
    const journal = readJournal(settings.home)
    return journal
      ? fail(cutOffText(journal), `${svcAt({ settings })('upgrade')} goes on with it`)
      : ok('none is unfinished')
  } catch (thrown) {
    if (!(thrown instanceof CliError)) throw thrown
    return fail(thrown.message, thrown.hint ?? '')
  }
}

async function clock(context: Context): Promise<Finding> {
  const { date, failure } = await probe(context)
  if (date === undefined) return notChecked(failure)
  const skew = Math.abs(context.io.now() - date)
  const detail = `${(skew / 1000).toFixed(1)} s from the daemon`
  return skew > CLOCK_SKEW_MS ? warn(detail, 'set the clock (NTP)') : ok(detail)
}

/** Returns that a check needs an answer. The line of the daemon says why there is none. */
function notChecked(failure: CliError | undefined): Finding {
  return ok(failure?.code === 'no_daemon' ? 'not checked: no daemon' : 'not checked: no answer')
}

/** Turns a missing or refused credential into a warning; without a daemon there is no warning. */
export async function credential(
  context: Context,
  find: (context: Context) => Promise<Finding>,
): Promise<Finding> {
  try {
    return await find(context)
  } catch (thrown) {
    if (!(thrown instanceof CliError) || thrown.exit === EXIT.interrupted) throw thrown
    if (thrown.exit === EXIT.noDaemon) return notChecked(thrown)
    return warn(thrown.message, thrown.hint ?? '')
  }
}

async function sessionState(context: Context): Promise<Finding> {
  const { username, expires_at: until } = (await context.read('GET /auth/whoami')).body.data
  const style = { human: true, utc: context.settings.utc, zone: true, now: context.io.now() }
  return ok(`${username}${until ? `, until ${cellText(until, 'time', style)}` : ''}`)
}

async function keyState(context: Context): Promise<Finding> {
  // A session reads without a key, but places no order.
  context.requireKey()
  const { body } = await context.apiRead('ping')
  return ok(`accepted, broker ${body.data.broker}`)
}

/** A holiday that the calendar lacks counts as a trading day. */
async function calendarState(context: Context): Promise<Finding> {
  const [gap] = (await context.read('GET /status')).body.data.calendar_gaps
  if (!gap) return ok('has the holidays of the days ahead')
  return warn(gap.warning, `svc admin holiday add, then svc admin holiday complete ${gap.year}`)
}

/** Without a broker session much still works; without the broker's plugin only another broker helps. */
async function brokerState(context: Context): Promise<Finding> {
  const { data } = (await context.read('GET /broker/status')).body
  const { available, broker: name, connected, failed_call: failed, reason, session } = data
  if (!available) return fail(`no plugin for ${name}`, 'svc broker list, then svc broker use')
  const next = session.next_step ?? 'svc broker login'
  switch (session.state) {
    case 'expired':
    case 'refused':
      return fail(`the session at ${name} has ended: ${session.reason}`, next)
    case 'ip_not_allowed':
      return fail(`${name} refuses orders from the address of this machine: ${session.reason}`, next)
    case 'expires_soon':
      return warn(`the session at ${name} ends soon: ${session.reason}`, next)
  }
  if (reason) return fail(`${name} is not connected: ${reason}`, 'fix the cause, then svc broker login')
  if (connected === false) return warn(`${name}: not signed in`, 'svc broker login')
  if (!failed?.failing_since) return ok(name)
  const detail = `calls to ${name} have failed since ${failed.failing_since}; the last one: ${failed.call}: ${failed.message}`
  return warn(detail, 'check the network and the status page of the broker')
}

/** A home without a schedule may have its backups made by other means. */
async function backupState(context: Context): Promise<Finding> {
  const { backup } = (await context.read('GET /status')).body.data
  const { failure, newest_at: newest, overdue, schedule } = backup
  if (failure) return fail(`the last one failed: ${failure.message}`, 'repair the cause, then svc backup')
  if (overdue) return warn('a scheduled backup is missing', 'svc backup; see the log for backup.failed')
  if (newest === null) return ok('none yet, and no schedule (BACKUP_SCHEDULE)')
  const style = { human: true, utc: context.settings.utc, zone: true, now: context.io.now() }
  return ok(`${cellText(newest, 'time', style)}${schedule === null ? ', no schedule (BACKUP_SCHEDULE)' : ''}`)
}

export type Found = Finding & { check: string }

/** What is not in order is read whole. */
const NOT_OK = { status: ['warn', 'fail'] }

/** Shows findings as a list. @returns 1 when one of them fails */
export async function showFindings(context: Context, found: readonly Found[]): Promise<ExitStatus> {
  await context.out.list({
    rows: found.map(({ check, status, detail, fix }) => ({ check, status, detail, fix: fix ?? '' })),
    columns: [
      { key: 'status', title: '', kind: 'status' },
      { key: 'check' },
      { key: 'detail', below: NOT_OK },
      { key: 'fix', below: true },
    ],
    id: 'check',
    empty: '',
  })
  return found.some(({ status }) => status === 'fail') ? EXIT.failed : EXIT.done
}
