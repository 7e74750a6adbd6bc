import { type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { addressOf } from '../client.js'
import { rawRefusal } from '../response/response.js'

/**
 * Connections that have not sent their complete headers, or complete request, after these times are closed, so
 * that slow senders cannot use up all connections.
 */
export const SLOW_SENDERS = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 2_000,
} as const

/** Far more connections than a desk opens, far fewer than a process may have. */
const MOST_OF_ONE_ADDRESS = 512
const MOST = 8192

/** The statuses of errors in the bytes of a request, by the code of Node; 400 for all others. */
const STATUS_OF_FAULT: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

interface ConnectionRules {
  /** Returns whether many callers connect from an address: that of a proxy, or of this machine. */
  isShared(peer: string): boolean
  most?: number
}

/**
 * Protects a server from its connections: bounds their number, keeps the address of each, and answers bytes that
 * are no HTTP like any other refusal.
 */
export function guardConnections(
  server: Server,
  { isShared, most = MOST_OF_ONE_ADDRESS }: ConnectionRules,
): void {
  server.maxConnections = MOST
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    // Reading the address keeps it: Node does not know that of a closed connection otherwise.
    const peer = addressOf(socket)
    if (isShared(peer)) return
    const count = (open.get(peer) ?? 0) + 1
    if (count > most) {
      socket.destroy()
      return
    }
    open.set(peer, count)
    socket.once('close', () => {
      const left = (open.get(peer) ?? 1) - 1
      if (left === 0) open.delete(peer)
      else open.set(peer, left)
    })
  })
  server.on('clientError', answerFault)
}

/** Answers a request that the HTTP parser refuses, unless an answer has already begun. */
function answerFault(fault: NodeJS.ErrnoException, socket: Duplex): void {
  if (socket.writable && !hasBegunAnswer(socket)) {
    const status = STATUS_OF_FAULT[fault.code ?? ''] ?? 400
    const reason = STATUS_CODES[status] ?? ''
    socket.write(rawRefusal(status, reason, reason))
  }
  socket.destroy(fault)
}

/** Node keeps the response that it is sending on the socket. */
function hasBegunAnswer(socket: Duplex & { _httpMessage?: { headersSent: boolean } | null }): boolean {
  return socket._httpMessage?.headersSent ?? false
}
