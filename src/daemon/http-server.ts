import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import type { Clock } from '../core/time/index.js'
import type { Daemon } from './daemon.js'
import type { AppEnv } from './env.js'
import { isLocalHost, isOnLoopback } from './http/own-host.js'
import { type EventSockets, refuse } from './stream/event-socket.js'

/** Whoever has not sent a whole head, or a whole request, by then is let go. */
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 60_000
const CHECK_INTERVAL_MS = 2_000
/** What requests in flight may take when the service stops; an order the broker has not answered is in doubt. */
const IN_FLIGHT_LIMIT_MS = 6_000
const IDLE_SWEEP_MS = 50

/** The daemon's HTTP server: the routes, and the event stream behind its upgrade requests. */
export function createHttpServer(daemon: Daemon, app: Hono<AppEnv>, sockets: EventSockets): Server {
  const onlyLocalHosts = isOnLoopback(daemon.service.config)
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
    },
  }) as Server
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    if (!daemon.ready()) refuse(socket, 503, 'Service Unavailable')
    else if (onlyLocalHosts && !isLocalHost(request.headers.host)) refuse(socket, 403, 'Forbidden')
    else if (!sockets.upgrade(request, socket, head)) refuse(socket, 404, 'Not Found')
  })
  return server
}

/** Binds. @returns the port */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
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
