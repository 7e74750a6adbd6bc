import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { ServiceError } from '../../core/errors/index.js'
import { isLoopbackAddress } from '../../core/security/index.js'
import type { Clock } from '../../core/time/index.js'
import type { Daemon } from '../daemon.js'
import type { AppEnv } from '../process/env.js'
import { logFault } from '../process/process-faults.js'
import { refuse, targetOf, type Upgrade } from '../stream/upgrade.js'
import { hasSeveralHosts, refusedHostText, SEVERAL_HOSTS } from './admission/allowed-hosts.js'
import { answerBanned, refuseBanned } from './admission/client-bans.js'
import { guardConnections, SLOW_SENDERS } from './admission/connections.js'
import { Arrivals } from './orders/arrivals.js'
import { batchPerTurn } from './orders/batch-per-turn.js'
import { DaemonRequest, stampedRequest } from './request.js'
import { DaemonResponse } from './response/response.js'
import { recordTraffic, recordUpgrade } from './traffic.js'

/**
 * The time that requests in flight may take when the service stops. An order without a broker answer is then
 * in doubt.
 */
const IN_FLIGHT_LIMIT_MS = 6_000
const IDLE_SWEEP_MS = 50

/** Returns the daemon's HTTP server, with its routes and, for upgrade requests, its streams. */
export function createHttpServer(daemon: Daemon, app: Hono<AppEnv>, streams: readonly Upgrade[]): Server {
  const arrivals = new Arrivals(daemon.service.clock)
  const options = {
    IncomingMessage: stampedRequest(() => arrivals.stamp()),
    ServerResponse: DaemonResponse,
    ...SLOW_SENDERS,
  }
  const handle = getRequestListener(afterBacklog(arrivals, batchPerTurn(app.fetch)))
  const server = createServer(options, withBans(daemon, handle))
  server.on('connection', () => arrivals.connected())
  server.on('close', () => arrivals.close())
  return withStreams(server, daemon, streams)
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => unknown

/**
 * Answers the requests of banned clients before anything else looks at them, and breaks off what a client only
 * reads when it becomes banned. A request that changes something gets its answer: it may be an order. A stream of lines
 * ends by itself.
 */
export function withBans({ clientBans }: Daemon, handle: RequestHandler): RequestHandler {
  return (request, response) => {
    if (clientBans.isClosedTo(request)) return answerBanned(request, response)
    if (request.method === 'GET') clientBans.keep(request, response)
    return handle(request, response)
  }
}

type Handle = (request: Request, env: { incoming: object }) => Promise<Response>

/**
 * Keeps the requests that arrived during a freeze until all of them are read. By then the server
 * knows which callers have disconnected. The deadline of their requests counts as passed.
 */
function afterBacklog(arrivals: Arrivals, handle: Handle): Handle {
  return async (request, env) => {
    const { backlog } = arrivals
    if (!backlog) return handle(request, env)
    await backlog
    const { incoming } = env
    if (incoming instanceof DaemonRequest && hasHungUp(incoming))
      incoming.receivedAt = Number.NEGATIVE_INFINITY
    return handle(request, env)
  }
}

/** Node ends its side of a connection as soon as the client has ended the other. */
function hasHungUp({ socket }: DaemonRequest): boolean {
  return socket.destroyed || socket.writableEnded
}

/**
 * Passes each upgrade request to the first stream that accepts it. Refuses a target that is not a URL, and
 * logs and answers an exception of a stream, because no client request may end the process.
 */
export function withStreams(server: Server, daemon: Daemon, streams: readonly Upgrade[]): Server {
  const open = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const url = targetOf(request)
    const { host } = request.headers
    if (!url) refuse(socket, 400, 'Bad Request', 'The target of the request is not a path.')
    else if (hasSeveralHosts(request)) refuse(socket, 400, 'Bad Request', SEVERAL_HOSTS)
    else if (!daemon.ready()) refuse(socket, 503, 'Service Unavailable')
    else if (!daemon.allowedHosts.has(host)) refuse(socket, 403, 'Forbidden', refusedHostText(host))
    else if (!streams.some((take) => take({ request, socket, head, url }))) refuse(socket, 404, 'Not Found')
  }
  const { clock, config, traffic } = daemon.service
  const ignores = (request: IncomingMessage) => !daemon.clientBans.isRecorded(request)
  const parts = config.TRAFFIC_LOG ? { clock, traffic, proxies: daemon.proxies, ignores } : undefined
  if (parts) recordTraffic(server, parts)
  const isShared = (peer: string) => daemon.proxies.has(peer) || isLoopbackAddress(peer)
  guardConnections(server, { isShared })
  return server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    try {
      if (daemon.clientBans.isClosedTo(request)) refuseBanned(socket)
      else {
        daemon.clientBans.keep(request, socket)
        open(request, socket, head)
      }
    } catch (fault) {
      logFault(daemon.service.log, 'upgrade.failed', fault)
      refuse(socket, 500, 'Internal Server Error')
    }
    if (parts && !ignores(request)) recordUpgrade(request, socket, parts)
  })
}

/**
 * Binds the server. @returns the port
 * @param setting the setting that chooses the port, named in the error when the port is taken
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
  const choose = `Set ${setting} to another port, or to 0 for any free port.`
  if (error.code === 'EADDRINUSE') {
    const message = `Port ${port} on ${host} is in use, perhaps by another svc. ${choose}`
    return new ServiceError('conflict', message, options)
  }
  if (error.code === 'EACCES') {
    return new ServiceError('forbidden', `This user may not open port ${port} on ${host}. ${choose}`, options)
  }
  return error
}

/**
 * Refuses new connections and waits for requests in flight, within limits: a client that keeps its connection
 * busy or never ends its request must not stop the service from stopping.
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
