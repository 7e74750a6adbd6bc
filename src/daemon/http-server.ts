import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import { ServiceError } from '../core/errors/index.js'
import type { Clock } from '../core/time/index.js'
import type { Daemon } from './daemon.js'
import type { AppEnv } from './env.js'
import { Arrivals } from './http/arrivals.js'
import { batchPerTurn } from './http/batch-per-turn.js'
import { foreignHost } from './http/own-host.js'
import { stampedRequest } from './http/request.js'
import { DaemonResponse } from './http/response.js'
import { logFault } from './process-faults.js'
import { refuse, targetOf, type Upgrade } from './stream/upgrade.js'

/** Whoever has not sent a whole head, or a whole request, by then is let go. */
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 60_000
const CHECK_INTERVAL_MS = 2_000
/** What requests in flight may take when the service stops; an order the broker has not answered is in doubt. */
const IN_FLIGHT_LIMIT_MS = 6_000
const IDLE_SWEEP_MS = 50

/** The daemon's HTTP server: the routes, and the streams behind its upgrade requests. */
export function createHttpServer(daemon: Daemon, app: Hono<AppEnv>, streams: readonly Upgrade[]): Server {
  const arrivals = new Arrivals(daemon.service.clock)
  const server = createAdaptorServer({
    fetch: batchPerTurn(app.fetch),
    serverOptions: {
      IncomingMessage: stampedRequest(() => arrivals.stamp()),
      ServerResponse: DaemonResponse,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
    },
  }) as Server
  server.on('close', () => arrivals.close())
  return withStreams(server, daemon, streams)
}

/**
 * Hands each upgrade request to the first stream that takes it. A target that is no URL is refused here, and an
 * exception of a stream is logged and answered: nothing a client sends may end the process.
 */
export function withStreams(server: Server, daemon: Daemon, streams: readonly Upgrade[]): Server {
  const open = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const url = targetOf(request)
    const { host } = request.headers
    if (!url) refuse(socket, 400, 'Bad Request', 'The target of the request is not a path.')
    else if (!daemon.ready()) refuse(socket, 503, 'Service Unavailable')
    else if (!daemon.ownHosts.has(host)) refuse(socket, 403, 'Forbidden', foreignHost(host))
    else if (!streams.some((take) => take({ request, socket, head, url }))) refuse(socket, 404, 'Not Found')
  }
  return server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    try {
      open(request, socket, head)
    } catch (fault) {
      logFault(daemon.service.log, 'upgrade.failed', fault)
      refuse(socket, 500, 'Internal Server Error')
    }
  })
}

/**
 * Binds. @returns the port
 * @param setting what chooses the port, for whoever finds it taken
 * @throws ServiceError `conflict` when something else listens there, `forbidden` when this user may not
 */
export function listen(server: Server, host: string, port: number, setting = 'SVC_PORT'): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(bindError(error, { host, port, setting }))
    server.once('error', failed)
    server.listen(port, host, () => {
      server.off('error', failed)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

function bindError(
  error: NodeJS.ErrnoException,
  { host, port, setting }: { host: string; port: number; setting: string },
): Error {
  const options = { cause: error }
  const choose = `Set ${setting} to another, or to 0 for any free one.`
  if (error.code === 'EADDRINUSE') {
    const message = `Port ${port} on ${host} is taken, perhaps by another svc. ${choose}`
    return new ServiceError('conflict', message, options)
  }
  if (error.code === 'EACCES') {
    return new ServiceError(
      'forbidden',
      `Port ${port} on ${host} may not be opened by this user. ${choose}`,
      options,
    )
  }
  return error
}

/**
 * Refuses new connections and lets requests in flight finish, within limits: a client that keeps its connection
 * busy, and one that never ends its request, must not keep the service from stopping.
 */
export function closeServer(server: Server, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false
    })
    const sweep = clock.setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS)
    const limit = clock.setTimeout(() => server.closeAllConnections(), IN_FLIGHT_LIMIT_MS)
    server.close(() => {
      clock.clear(sweep)
      clock.clear(limit)
      resolve()
    })
    server.closeIdleConnections()
  })
}
