import http, { type IncomingMessage } from 'node:http'

interface Outgoing {
  method: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
  signal: AbortSignal
}

/** Less than the five seconds after which a daemon closes an idle connection: a request must not meet that. */
const IDLE_MS = 4_000
const AGENT = { keepAlive: true, timeout: IDLE_MS }

const plain = { request: http.request, agent: new http.Agent(AGENT) }
let encrypted: typeof plain | undefined

/** Only a client of an encrypted address pays for loading the modules of TLS. */
async function senderOf({ protocol }: URL): Promise<typeof plain> {
  if (protocol !== 'https:') return plain
  const { request, Agent } = await import('node:https')
  encrypted ??= { request, agent: new Agent(AGENT) }
  return encrypted
}

/**
 * Sends a request and returns the response once its headers arrive. Never repeats a request. Not with `fetch`:
 * loading it takes longer than the rest of a command's start, and it aborts a stream silent for five minutes.
 *
 * @throws Error when there is no answer, or one that leads elsewhere: a credential must not follow it. Its `cause` is
 * the error of the system
 */
export async function sendRequest(
  url: URL,
  { body, headers, method, signal }: Outgoing,
): Promise<IncomingMessage> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const { agent, request } = await senderOf(url)
  return new Promise((resolve, reject) => {
    request(url, { agent, method, headers: { ...headers, ...length }, signal })
      .on('response', (response) => {
        if (!isRedirect(response)) return resolve(response)
        response.resume()
        reject(new Error('The answer is a redirect'))
      })
      .on('error', (cause) => reject(new Error('The request failed', { cause })))
      .end(body)
  })
}

function isRedirect({ headers, statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 300 && statusCode < 400 && headers.location !== undefined
}
