import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { DaemonAccess } from '../../../src/client/daemon-access.js'
import { SvcClient } from '../../../src/client/index.js'
import type { liveDesk } from './live-desk.js'

/** Returns an access whose connection breaks when the answer to a real request to a path comes back: to each, or to the first ones. */
export async function losingAnswers(
  { http, url, token }: Pick<Awaited<ReturnType<typeof liveDesk>>, 'http' | 'url' | 'token'>,
  path: string,
  times = Number.POSITIVE_INFINITY,
): Promise<DaemonAccess> {
  let lost = 0
  const isLost = (asked: IncomingMessage) => {
    const isMeant = asked.url === path && asked.headers['x-dry-run'] === undefined && lost < times
    if (isMeant) lost += 1
    return isMeant
  }
  const server = createServer((asked, answer) => {
    const { method = 'GET', headers } = asked
    const passed = request(new URL(asked.url ?? '', url), { method, headers }, (reply) => {
      if (isLost(asked)) {
        reply.resume()
        reply.on('end', () => answer.destroy())
        return
      }
      answer.writeHead(reply.statusCode ?? 500, reply.headers)
      reply.pipe(answer)
    })
    passed.on('error', () => answer.destroy())
    asked.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address: AddressInfo | string | null = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    client: (timeoutMs) =>
      new SvcClient({ url: `http://127.0.0.1:${port}`, token, apikey: http.apikey, timeoutMs }),
  }
}
