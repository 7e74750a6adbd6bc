import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { TrafficLog } from '../../core/telemetry/index.js'
import type { Clock } from '../../core/time/index.js'
import { refusalOf } from '../stream/upgrade.js'
import { callerAddress, callIn, type TrustedProxies } from './client.js'
import { DaemonRequest } from './request.js'

interface TrafficParts {
  traffic: Pick<TrafficLog, 'record'>
  clock: Pick<Clock, 'monotonic'>
  proxies: TrustedProxies
  /** Returns whether a request is not recorded: a banned client must not fill the log. Asked once a request. */
  ignores: (request: IncomingMessage) => boolean
}

/** Reading the log must not fill it. A refused reading is recorded like any other request. */
const OWN_PATH = /^\/traffic(?:[/?]|$)/
/** The status of a request whose client left before the answer, as nginx writes it. */
const CLIENT_LEFT = 499
const SWITCHING_PROTOCOLS = 101
const BAD_REQUEST = 400

/**
 * Records every request that a server gets, when its answer has left or its client has. It costs the request
 * nothing that it waits for. Upgrades are recorded by {@link recordUpgrade}.
 */
export function recordTraffic(server: Server, parts: TrafficParts): void {
  server.prependListener('request', (request: IncomingMessage, response) => {
    if (parts.ignores(request)) return
    const startedAt = arrivalOf(request, parts.clock)
    response.once('close', () => {
      const left = !response.headersSent
      record(request, parts, {
        startedAt,
        statusCode: left ? CLIENT_LEFT : response.statusCode,
        refusal: left ? 'The client closed the connection before the answer.' : undefined,
      })
    })
  })
}

/** Records a request for a WebSocket, once it is accepted or refused. */
export function recordUpgrade(request: IncomingMessage, socket: Duplex, parts: TrafficParts): void {
  const refused = refusalOf(socket)
  const statusCode = refused?.status ?? (socket.writableEnded ? BAD_REQUEST : SWITCHING_PROTOCOLS)
  record(request, parts, {
    startedAt: arrivalOf(request, parts.clock),
    statusCode,
    refusal: refused?.message,
  })
}

function arrivalOf(request: IncomingMessage, clock: Pick<Clock, 'monotonic'>): number {
  return (request instanceof DaemonRequest ? request.receivedAt : undefined) ?? clock.monotonic()
}

interface Ended {
  startedAt: number
  statusCode: number
  refusal: string | undefined
}

function record(
  request: IncomingMessage,
  { clock, proxies, traffic }: TrafficParts,
  { refusal, startedAt, statusCode }: Ended,
): void {
  const { headers, method = '', url = '' } = request
  if (statusCode < BAD_REQUEST && OWN_PATH.test(url)) return
  const noted = request instanceof DaemonRequest ? request : undefined
  traffic.record({
    clientIp: callerAddress(callIn(request), proxies),
    method,
    target: url,
    statusCode,
    durationMs: Math.max(0, clock.monotonic() - startedAt),
    host: headers.host,
    userId: noted?.userId,
    error: refusal ?? noted?.refusal,
  })
}
