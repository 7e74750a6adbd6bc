import { createServer, type Server } from 'node:http'
import { DaemonRequest } from '../http/request.js'

/**
 * Returns the server of the market stream's own port. Every path opens the stream; there are no HTTP routes.
 */
export function marketServer(): Server {
  return createServer({ IncomingMessage: DaemonRequest }, (_request, response) => {
    const body = JSON.stringify({ status: 'error', message: 'This port speaks WebSocket only' })
    response.writeHead(426, {
      'Content-Type': 'application/json',
      Connection: 'Upgrade',
      Upgrade: 'websocket',
    })
    response.end(body)
  })
}
