import http, { type IncomingMessage } from 'node:http'
import { agentFor, type Trust, Waiting, whenConnected } from './agents.js'

interface Outgoing {
  method: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
  signal: AbortSignal
  trust?: Trust | undefined
}

/** The error of a request without an answer. Its `cause` is the error of the system. */
export class RequestError extends Error {
  /** False if no connection was ready for the request, so that nothing of it was sent. */
  readonly wasSent: boolean
  /** False if no connection was made at all. */
  readonly isConnected: boolean

  constructor(cause: unknown, { isConnected, wasSent }: { isConnected: boolean; wasSent: boolean }) {
    super('The request failed', { cause })
    this.wasSent = wasSent
    this.isConnected = isConnected
  }
}

/** The error of an answer that leads elsewhere: a credential must not follow it. */
export class RedirectError extends Error {
  /** The address that the answer names. */
  readonly location: string

  constructor(location: string) {
    super('The answer is a redirect')
    this.location = location
  }
}

const requestOf = async ({ protocol }: URL) =>
  protocol === 'https:' ? (await import('node:https')).request : http.request

/**
 * Sends a request and returns the response once its headers arrive. Never repeats a request. Not with `fetch`:
 * loading it takes longer than the rest of a command's start, and it aborts a stream silent for five minutes.
 *
 * @throws RequestError when there is no answer, RedirectError for one that leads elsewhere
 */
export async function sendRequest(
  url: URL,
  { body, headers, method, signal, trust }: Outgoing,
): Promise<IncomingMessage> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const [agent, request] = await Promise.all([agentFor(url, trust), requestOf(url)])
  const waiting = new Waiting(signal)
  const options = { agent, method, headers: { ...headers, ...length }, signal, waiting }
  return new Promise((resolve, reject) => {
    let wasSent = false
    request(url, options)
      .on('socket', (socket) =>
        whenConnected(socket, () => {
          waiting.isConnected = true
          wasSent = true
        }),
      )
      .on('response', (response) => {
        const location = redirectIn(response)
        if (location === undefined) return resolve(response)
        response.resume()
        reject(new RedirectError(location))
      })
      .on('error', (cause) => reject(new RequestError(cause, { isConnected: waiting.isConnected, wasSent })))
      .end(body)
  })
}

function redirectIn({ headers, statusCode = 0 }: IncomingMessage): string | undefined {
  return statusCode >= 300 && statusCode < 400 ? headers.location : undefined
}
