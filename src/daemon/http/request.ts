import { IncomingMessage } from 'node:http'

/**
 * A request that is upgraded only when it asks for WebSocket. The server ignores every other `Upgrade` (`h2c`
 * by Java's client or `curl --http2`) and serves the request as it is (RFC 9110, section 7.8). Node 20 has no
 * option for that: a server that listens for upgrades gets them all, and Node reads this property to tell an
 * upgrade from a request before it reads on. When such a request has no body, data that the client sends
 * ahead in the same packet is lost, as on any server of Node.
 */
export class DaemonRequest extends IncomingMessage {
  /** When the request was received, by the monotonic clock. Undefined on a server that takes no orders. */
  receivedAt?: number
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
