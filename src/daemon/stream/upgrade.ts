import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Logger } from '../../core/logging/index.js'
import { rawRefusal } from '../http/response/response.js'
import { logFault } from '../process/process-faults.js'

/** A request to turn a connection into a WebSocket. */
export interface UpgradeRequest {
  request: IncomingMessage
  socket: Duplex
  /** Bytes that arrived after the head of the request. */
  head: Buffer
  /** Path and query of the target. Its host means nothing: the `Host` header is checked elsewhere. */
  url: URL
}

/** Handles an upgrade request. @returns false when it is for another stream */
export type Upgrade = (upgrade: UpgradeRequest) => boolean

const BASE = 'http://localhost'

/**
 * Returns the target of an upgrade request, or undefined for an invalid URL such as `//`, which any client
 * can send.
 */
export function targetOf({ url = '/' }: IncomingMessage): URL | undefined {
  return URL.canParse(url, BASE) ? new URL(url, BASE) : undefined
}

interface Refusal {
  status: number
  message: string
}

const refusals = new WeakMap<Duplex, Refusal>()

/** Returns how the upgrade request of a connection was refused; undefined if nobody noted that. */
export function refusalOf(socket: Duplex): Refusal | undefined {
  return refusals.get(socket)
}

/** Notes how an upgrade request is refused, for the traffic log. */
export function noteRefused(socket: Duplex, refusal: Refusal): void {
  refusals.set(socket, refusal)
}

/** Refuses an upgrade request. `message` explains the status where the reason alone does not. */
export function refuse(socket: Duplex, status: number, reason: string, message = reason): void {
  noteRefused(socket, { status, message })
  socket.end(rawRefusal(status, reason, message))
}

/**
 * Wraps a listener of a WebSocket so that it cannot throw: a fault is logged and ends only this connection.
 */
export function guarded<A extends readonly unknown[]>(
  socket: WebSocket,
  log: Logger,
  listener: (...args: A) => void,
): (...args: A) => void {
  return (...args) => {
    try {
      listener(...args)
    } catch (fault) {
      logFault(log, 'stream.failed', fault)
      socket.terminate()
    }
  }
}
