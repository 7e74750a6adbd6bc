import { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import type { AppEnv } from '../process/env.js'

/**
 * A request that is upgraded only when it asks for WebSocket. The server ignores every other `Upgrade` (`h2c`
 * by Java's client or `curl --http2`) and serves the request as it is (RFC 9110, section 7.8). Node 20 has no
 * option for that: a server that listens for upgrades gets them all, and Node reads this property to tell an
 * upgrade from a request before it reads on. When such a request has no body, data that the client sends
 * ahead in the same packet is lost, as on any server of Node.
 */
export class DaemonRequest extends IncomingMessage {
  /** The arrival of the request on the monotonic clock; undefined on a server that takes no orders. */
  receivedAt?: number
  /** The user whose credential it carries, once it is checked. */
  userId?: string
  /** The message of its refusal. */
  refusal?: string
  /** The parser sets this while it constructs the message, so it is only declared here. */
  declare private asksForUpgrade: boolean

  set upgrade(asked: boolean | null) {
    this.asksForUpgrade = asked === true
  }

  get upgrade(): boolean {
    return this.asksForUpgrade && (this.method === 'CONNECT' || isWebSocket(this.headers.upgrade))
  }
}

/** Returns the request class of a server that records when each request was received. */
export function stampedRequest(stamp: () => number): typeof DaemonRequest {
  return class extends DaemonRequest {
    override receivedAt = stamp()
  }
}

function isWebSocket(protocol: string | undefined): boolean {
  return protocol?.trim().toLowerCase() === 'websocket'
}

/** Notes whose request this is, for the traffic log. */
export function noteCaller(c: Context<AppEnv>, username: string): void {
  const { incoming } = c.env
  if (incoming instanceof DaemonRequest) incoming.userId = username
}

/** Notes why a request is refused, for the traffic log. */
export function noteRefusal(c: Context<AppEnv>, message: string): void {
  const { incoming } = c.env
  if (incoming instanceof DaemonRequest) incoming.refusal = message
}
