import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Duplex } from 'node:stream'

/** The server of the market stream's own port: any path opens the stream, and nothing else is there. */
export function marketServer(
  onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Server {
  const server = createServer((_request, response) => {
    const body = JSON.stringify({ status: 'error', message: 'This port speaks WebSocket only' })
    response.writeHead(426, {
      'Content-Type': 'application/json',
      Connection: 'Upgrade',
      Upgrade: 'websocket',
    })
    response.end(body)
  })
  server.on('upgrade', onUpgrade)
  return server
}
