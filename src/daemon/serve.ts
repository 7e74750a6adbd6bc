import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../core/config/index.js'
import { messageOf } from '../core/errors/index.js'
import type { LogOutput } from '../core/logging/index.js'
import { purgeLogs } from '../core/telemetry/index.js'
import { type Clock, within } from '../core/time/index.js'
import { honourRestore } from './backup/restored.js'
import { prepareInstruments } from './broker/instrument-loading.js'
import { Daemon } from './daemon.js'
import { ListeningPorts, type Ports } from './process/listening-ports.js'
import type { HomeLock } from './process/lock.js'
import { endHeldProcess, filesAtRest } from './process/process-end.js'
import type { ProcessFaults } from './process/process-faults.js'
import { SetupToken } from './process/setup-token.js'
import { watchStorage } from './process/storage-watch.js'
import { tidyHome } from './process/tidy-home.js'
import { pruneAudit, startAudit } from './service/audit.js'
import type { Stores } from './service/stores.js'
import { beginStop, closeService, openService, recover } from './service.js'
import { VERSION } from './version.js'

export interface RunningDaemon {
  url: string
  /** The URL of the market stream on its own port. */
  wsUrl: string
  eventsUrl: string
  /** Stops accepting requests, finishes those in flight, flushes and closes. */
  stop(): Promise<void>
  /** Resolves with the exit status when the daemon has stopped, by {@link stop} or by a signal. */
  stopped: Promise<number>
}

/** The time that a stop may take. Then the process ends, and the next start recovers. */
const STOP_LIMIT_MS = 10_000
/** Clients come back in the first seconds after a start; what can wait, waits for them. */
const PURGE_AFTER_MS = 10_000
const PURGE_INTERVAL_MS = 24 * 3_600_000
/** The interval at which the totals of strategies are updated, so that no read has many fills to add. */
const CATCH_UP_INTERVAL_MS = 3_600_000

/** The parts that the start of the process has prepared. */
interface Prepared {
  home: string
  ports: Ports
  config: Config
  clock: Clock
  stores: Stores
  lock: HomeLock
  logs: LogOutput
  faults: ProcessFaults
}

/**
 * Builds the service on its open databases, binds, recovers, and only then accepts. A failure closes all that was opened,
 * so that nothing keeps the process alive or the home in use.
 */
export async function serve(prepared: Prepared): Promise<RunningDaemon> {
  const { home, ports, config, clock, stores, lock, logs, faults } = prepared
  const { log } = logs
  const service = await openService({ home, config, clock, log, stores, env: process.env })
  const daemon = new Daemon(service)
  const started = { home, daemon, listeners: new ListeningPorts(daemon), lock, logs, faults }
  try {
    if (service.identity.users.needsSetup) daemon.setupToken = SetupToken.write(home)
    await started.listeners.bind(ports)
    await openForOrders(daemon, home)
  } catch (error) {
    await closeFailed(started, error)
    throw error
  }
  const { stop, stopped } = stopOf(started)
  const { url, wsUrl, eventsUrl } = daemon
  return { url, wsUrl, eventsUrl, stop, stopped }
}

/** Loads the instruments, recovers, starts the loops and accepts orders. */
async function openForOrders(daemon: Daemon, home: string): Promise<void> {
  const { service } = daemon
  await honourRestore(service, home)
  await prepareInstruments(service)
  const { inDoubt } = await recover(service)
  // Before the first order: a daemon that clients cannot find accepts none.
  announce(home, daemon)
  startLoops(daemon)
  daemon.setReady(true)
  const { calendar, log } = service
  log.info('daemon.ready', { url: daemon.url, version: VERSION, mode: service.mode(), in_doubt: inDoubt })
  for (const gap of calendar.gaps()) log.warn('calendar.gap', { ...gap })
  const databases = Object.values(service.databases).map(({ file }) => file)
  void tidyHome({ home, databases, log })
}

function startLoops(daemon: Daemon): void {
  const { service } = daemon
  const { backups, clock, config, feedWatch, latency, log, openOrders, orderLogs } = service
  const { requests, strategies, traffic } = service
  feedWatch.start()
  openOrders.start()
  backups.start()
  const purge = () => {
    void purgeLogs({ orderLogs, latency, requests, traffic, config, clock, log })
    void pruneAudit(service)
    void service.mcp.audit.purge()
  }
  clock.setTimeout(purge, PURGE_AFTER_MS)
  clock.setInterval(purge, PURGE_INTERVAL_MS)
  void strategies.catchUp()
  clock.setInterval(() => void strategies.catchUp(), CATCH_UP_INTERVAL_MS)
  startAudit(service, VERSION)
  watchStorage(daemon)
  daemon.metrics.watchProcess()
  if (config.HEALTH_MONITOR_ENABLED) daemon.health.start()
}

/** Writes the file that tells clients where the daemon is. */
function announce(home: string, { service, url, wsUrl, eventsUrl }: Daemon): void {
  const { id } = service.settings.identity
  const facts = { pid: process.pid, url, id, ws_url: wsUrl, events_url: eventsUrl, version: VERSION }
  const file = daemonFile(home)
  // Renamed into place, so that no client reads a partial file.
  writeFileSync(`${file}.new`, `${JSON.stringify(facts)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

interface Started {
  home: string
  daemon: Daemon
  listeners: ListeningPorts
  lock: HomeLock
  logs: LogOutput
  faults: ProcessFaults
}

/**
 * Closes a daemon whose start has failed. The reason of the failure counts, not that of the close, which may take no longer
 * than a stop: the end of the process closes the rest.
 */
async function closeFailed(started: Started, reason: unknown): Promise<void> {
  const { daemon, logs } = started
  const { log } = logs
  log.error('daemon.start_failed', { error: messageOf(reason) })
  const closed = closeAll(started).then(
    () => true,
    (error: unknown) => log.error('daemon.stop_failed', { error: messageOf(error) }),
  )
  if (!(await within(daemon.service.clock, STOP_LIMIT_MS, closed))) logs.flushSync()
}

/** Stops accepting requests, finishes those in flight, flushes and closes: the service first, then the lock and the logs. */
async function closeAll({ home, daemon, listeners, lock, logs, faults }: Started): Promise<void> {
  daemon.setReady(false)
  beginStop(daemon.service)
  await listeners.close()
  await daemon.health.stop()
  await closeService(daemon.service)
  // Without its lock, the file may be of another daemon.
  if (lock.missing() === undefined) rmSync(daemonFile(home), { force: true })
  await lock.release()
  logs.log.info('daemon.stopped')
  faults.close()
  await logs.close()
  await filesAtRest()
}

/** Returns the function that stops the daemon: on request, by a signal, or after an uncaught exception. */
function stopOf(started: Started): Pick<RunningDaemon, 'stop' | 'stopped'> {
  const { faults, logs } = started
  const { log } = logs
  let resolveStopped: (exitStatus: number) => void = () => undefined
  const stopped = new Promise<number>((resolve) => {
    resolveStopped = resolve
  })
  let stopping: Promise<void> | undefined
  const stop = (exitStatus = 0): Promise<void> => {
    stopping ??= (async () => {
      log.info('daemon.stopping')
      await closeAll(started)
      resolveStopped(exitStatus)
    })()
    return stopping
  }
  const stopInTime = (exitStatus: number) =>
    withinLimit(stop(exitStatus), (message) => {
      log.error('daemon.stop_failed', { error: message })
      logs.flushSync()
      resolveStopped(1)
    })
  onSignals(() => stopInTime(0))
  faults.stopWith(() => stopInTime(1))
  return { stop, stopped }
}

/** Ends the process when a stop fails or takes too long: recovery at the next start takes over. */
function withinLimit(stopping: Promise<void>, failed: (message: string) => void): void {
  const giveUp = (message: string) => {
    failed(message)
    endHeldProcess()
    process.exit(1)
  }
  const limit = setTimeout(() => giveUp('the step took too long'), STOP_LIMIT_MS)
  stopping.then(
    () => {
      clearTimeout(limit)
      endHeldProcess()
    },
    (error: unknown) => giveUp(messageOf(error)),
  )
}

/** Stops in order on the first SIGTERM or SIGINT, and at once on the second: the next start then recovers. */
function onSignals(stop: () => void): void {
  let asked = false
  const handler = () => {
    if (asked) process.exit(130)
    asked = true
    stop()
  }
  process.on('SIGTERM', handler)
  process.on('SIGINT', handler)
}

const daemonFile = (home: string): string => join(home, 'daemon.json')
