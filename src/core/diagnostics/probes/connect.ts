import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import type { Clock } from '../../time/index.js'

export interface Endpoint {
  host: string
  port: number
}

/** Runs `work` and ends it when the time is over. @throws Error that names the limit */
export async function inTime<T>(
  limitMs: number,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController()
  const timer = clock.setTimeout(() => limit.abort(), limitMs)
  const late = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () => reject(new Error(`No answer within ${limitMs / 1000} s`)))
  })
  try {
    return await Promise.race([work(limit.signal), late])
  } finally {
    clock.clear(timer)
  }
}

/** Connects over TCP and hangs up. */
export async function tcpConnect({ host, port }: Endpoint, signal: AbortSignal): Promise<void> {
  const socket = connect({ host, port })
  signal.addEventListener('abort', () => socket.destroy())
  try {
    await once(socket, 'connect')
  } finally {
    socket.destroy()
  }
}

/** Returns the status of `HEAD` on a URL. A redirect is an answer and is not followed. */
export async function headStatus(url: string, signal: AbortSignal): Promise<number> {
  return (await head(url, signal)).statusCode ?? 0
}

const REMOTE_TIME_MS = 3000

/**
 * Returns the time of a server by its `Date` header, in epoch milliseconds of whole seconds; undefined if it sends none.
 * @throws Error if it does not answer
 */
export async function remoteTime(url: string, clock: Clock): Promise<number | undefined> {
  const { headers } = await inTime(REMOTE_TIME_MS, clock, (signal) => head(url, signal))
  const time = Date.parse(headers.date ?? '')
  return Number.isNaN(time) ? undefined : time
}

async function head(url: string, signal: AbortSignal): Promise<IncomingMessage> {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest
  const request = send(url, { method: 'HEAD', agent: false })
  signal.addEventListener('abort', () => request.destroy())
  request.end()
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    request.once('error', reject)
  })
  response.resume()
  return response
}
