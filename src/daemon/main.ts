import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig, secretValues } from '../core/config/index.js'
import { messageOf } from '../core/errors/index.js'
import { createLogger } from '../core/logging/index.js'
import { purgeLogs } from '../core/telemetry/index.js'
import { type Clock, SystemClock } from '../core/time/index.js'
import { createApp } from './app.js'
import { Daemon } from './daemon.js'
import { closeServer, createHttpServer, listen, withStreams } from './http-server.js'
import { prepareInstruments } from './instrument-loading.js'
import { lockHome } from './lock.js'
import { closeService, openService, recover, type Service } from './service.js'
import { SetupToken } from './setup-token.js'
import { EventSockets } from './stream/event-socket.js'
import { marketServer } from './stream/market-port.js'
import { MarketSockets } from './stream/market-socket.js'
import { VERSION } from './version.js'

export interface DaemonOptions {
  home: string
  /** Over `SVC_PORT`. 0 takes a free one. */
  port?: number
  /** Over `SVC_WS_PORT`. 0 takes a free one. */
  wsPort?: number
}

export interface RunningDaemon {
  url: string
  /** Of the market stream, on its own port. */
  wsUrl: string
  eventsUrl: string
  /** Stops accepting, finishes what is in flight, flushes and closes. */
  stop(): Promise<void>
  /** Resolves with the exit status when the daemon has stopped, by {@link stop} or by a signal. */
  stopped: Promise<number>
}

/** What a stop may take; then the process ends, and recovery at the next start takes over. */
const STOP_LIMIT_MS = 10_000
/** Named to whoever finds the port taken. */
const STREAM_PORT_SETTING = 'SVC_WS_PORT (of the market stream, which is at /ws of the HTTP port too)'
const PURGE_INTERVAL_MS = 24 * 3_600_000

/**
 * Starts the daemon: lock the home, open and migrate the databases, bind, recover, and only then accept.
 * @throws ServiceError `conflict` when another daemon runs in this home or a port is taken, `validation` for a bad
 * configuration
 */
export async function startDaemon(options: DaemonOptions): Promise<RunningDaemon> {
  const { home } = options
  // Databases and logs are nobody else's to read.
  process.umask(0o077)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const lock = await lockHome(home)
  const clock: Clock = new SystemClock()
  const { values: config, warnings } = loadConfig({ home, env: process.env })
  const logs = createLogger(
    {
      home,
      level: config.LOG_LEVEL,
      dir: config.LOG_DIR,
      toFile: config.LOG_TO_FILE,
      retention: config.LOG_RETENTION,
      secrets: secretValues(config),
    },
    clock,
  )
  const { log } = logs
  for (const warning of warnings) log.warn('config.warning', { warning })

  const service = await openService({ home, config, clock, log, env: process.env })
  const daemon = new Daemon(service)
  if (service.identity.users.needsSetup) daemon.setupToken = SetupToken.write(home)
  const app = createApp(daemon)
  const sockets = new EventSockets({
    identity: service.identity,
    stream: service.stream,
    tickets: daemon.tickets,
    cookieName: config.SESSION_COOKIE_NAME,
    clock,
  })
  const { bus, identity } = service
  const { broker, fanOut, subscriptions } = daemon.marketStream
  const marketSockets = new MarketSockets({
    bus,
    clock,
    broker,
    fanOut,
    subscriptions,
    verifyKey: (apiKey) => identity.apiKeys.verify(apiKey),
    onRevoked: (listener) => identity.onRevoked(listener),
    allowedOrigins: config.WS_ALLOWED_ORIGINS,
  })
  daemon.attachSockets(sockets, marketSockets)

  const server = createHttpServer(daemon, app, [
    (...args) => sockets.upgrade(...args),
    (...args) => marketSockets.upgrade(...args),
  ])
  const streamServer = withStreams(marketServer(), daemon, [
    (...args) => {
      marketSockets.accept(...args)
      return true
    },
  ])
  const bind = async (): Promise<[number, number]> => [
    await listen(server, config.HOST, options.port ?? config.SVC_PORT, 'SVC_PORT'),
    await listen(streamServer, config.HOST, options.wsPort ?? config.SVC_WS_PORT, STREAM_PORT_SETTING),
  ]
  const [port, wsPort] = await bind().catch(async (error: unknown) => {
    // Nothing may stay behind that would keep the process, or the home, from ending.
    server.close()
    sockets.close()
    marketSockets.close()
    await closeService(service)
    await lock.release()
    await logs.close()
    throw error
  })
  const host = hostInUrl(config.HOST)
  daemon.url = `http://${host}:${port}`
  daemon.wsUrl = `ws://${host}:${wsPort}`
  daemon.eventsUrl = `ws://${host}:${port}/events`

  await prepareInstruments(service)
  const { inDoubt } = await recover(service)
  startLoops(service)
  daemon.setReady(true)
  // Until it is built, searches are answered from the database.
  void service.instruments.search.warm()
  const daemonFile = join(home, 'daemon.json')
  const { url, wsUrl, eventsUrl } = daemon
  const facts = { pid: process.pid, url, ws_url: wsUrl, events_url: eventsUrl, version: VERSION }
  // Renamed into place: whoever waits for the file never reads half of it.
  writeFileSync(`${daemonFile}.new`, `${JSON.stringify(facts)}\n`, { mode: 0o600 })
  renameSync(`${daemonFile}.new`, daemonFile)
  log.info('daemon.ready', { url: daemon.url, version: VERSION, mode: service.mode(), in_doubt: inDoubt })

  let resolveStopped: (exitStatus: number) => void = () => undefined
  const stopped = new Promise<number>((resolve) => {
    resolveStopped = resolve
  })
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      daemon.setReady(false)
      log.info('daemon.stopping')
      sockets.close()
      marketSockets.close()
      await Promise.all([closeServer(server, clock), closeServer(streamServer, clock)])
      await closeService(service)
      rmSync(daemonFile, { force: true })
      await lock.release()
      log.info('daemon.stopped')
      await logs.close()
      resolveStopped(0)
    })()
    return stopping
  }
  onSignals(stop, (message) => {
    log.error('daemon.stop_failed', { error: message })
    logs.flushSync()
    resolveStopped(1)
  })
  return { url, wsUrl, eventsUrl, stop, stopped }
}

function startLoops(service: Service): void {
  const { clock, config, feedWatch, latency, log, orderLogs } = service
  feedWatch.start()
  const purge = () => void purgeLogs({ orderLogs, latency, config, clock, log })
  clock.setTimeout(purge, 60_000)
  clock.setInterval(purge, PURGE_INTERVAL_MS)
}

/** The first SIGTERM or SIGINT stops in good order, the second at once: recovery at the next start takes over. */
function onSignals(stop: () => Promise<void>, failed: (message: string) => void): void {
  let asked = false
  const handler = () => {
    if (asked) process.exit(130)
    asked = true
    const giveUp = (message: string) => {
      failed(message)
      process.exit(1)
    }
    const limit = setTimeout(() => giveUp('it took too long'), STOP_LIMIT_MS)
    stop().then(
      () => clearTimeout(limit),
      (error: unknown) => giveUp(messageOf(error)),
    )
  }
  process.on('SIGTERM', handler)
  process.on('SIGINT', handler)
}

const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)
