import { createServer, type Server } from 'node:http'
import type { Daemon } from '../../daemon.js'
import { SLOW_SENDERS } from '../../http/admission/connections.js'
import { withBans } from '../../http/http-server.js'
import { DaemonRequest } from '../../http/request.js'
import { FIXED_HEADERS } from '../../http/response/response.js'

/**
 * Returns the server of the market stream's own port. Every path opens the stream; there are no HTTP routes.
 */
export function marketServer(daemon: Daemon): Server {
  const handle = withBans(daemon, (_request, response) => {
    const body = JSON.stringify({ status: 'error', message: 'This port speaks WebSocket only' })
    response.writeHead(426, {
      ...FIXED_HEADERS,
      'Content-Type': 'application/json',
      Connection: 'Upgrade',
      Upgrade: 'websocket',
    })
    response.end(body)
  })
  return createServer({ IncomingMessage: DaemonRequest, ...SLOW_SENDERS }, handle)
}
