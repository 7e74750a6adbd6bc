import { IncomingMessage } from 'node:http'

/**
 * A request that is upgraded when it asks for WebSocket, the only protocol spoken here. Every other `Upgrade`
 * (`h2c` by Java's client or `curl --http2`) is an offer that is not taken up: the request is served as it is (RFC 9110,
 * section 7.8). Node 20 has no option for that: a server that listens for upgrades gets them all, and by this property
 * it tells an upgrade from a request before it reads on. What a client sends ahead in the same packet as such a
 * request without a body is lost, as on any server of Node.
 */
export class DaemonRequest extends IncomingMessage {
  /** When it was received, by the monotonic clock; absent on a server that takes no orders. */
  readonly receivedAt?: number
  /** Set by the parser; declared only, since it is set while the message is being constructed. */
  declare private asksForUpgrade: boolean

  set upgrade(asked: boolean | null) {
    this.asksForUpgrade = asked === true
  }

  get upgrade(): boolean {
    return this.asksForUpgrade && (this.method === 'CONNECT' || isWebSocket(this.headers.upgrade))
  }
}

/** The class of requests of a server that notes when each was received. */
export function stampedRequest(stamp: () => number): typeof DaemonRequest {
  return class extends DaemonRequest {
    override readonly receivedAt = stamp()
  }
}

function isWebSocket(protocol: string | undefined): boolean {
  return protocol?.trim().toLowerCase() === 'websocket'
}
