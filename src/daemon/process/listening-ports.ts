import type { Server } from 'node:http'
import { createApp } from '../app.js'
import type { Daemon } from '../daemon.js'
import { callIn } from '../http/client.js'
import { closeServer, createHttpServer, listen, withStreams } from '../http/http-server.js'
import { EventSockets } from '../stream/event-socket.js'
import { marketServer } from '../stream/market/port.js'
import { MarketSockets } from '../stream/market/socket.js'

/** Ports that override those of the settings. 0 takes a free port. */
export interface Ports {
  /** Overrides `SVC_PORT`. */
  port?: number
  /** Overrides `SVC_WS_PORT`. */
  wsPort?: number
}

/** The setting that the error names when the port is taken. */
const STREAM_PORT_SETTING =
  'SVC_WS_PORT (the port of the market stream, which is also at /ws of the HTTP port)'

/** The listening servers: the HTTP server with its routes and streams, and the market stream's own port. */
export class ListeningPorts {
  readonly #daemon: Daemon
  readonly #sockets: EventSockets
  readonly #marketSockets: MarketSockets
  readonly #server: Server
  readonly #streamServer: Server

  constructor(daemon: Daemon) {
    const sockets = eventSockets(daemon)
    const marketSockets = marketSocketsOf(daemon)
    daemon.attachSockets(sockets, marketSockets)
    this.#daemon = daemon
    this.#sockets = sockets
    this.#marketSockets = marketSockets
    this.#server = createHttpServer(daemon, createApp(daemon), [
      (upgrade) => sockets.upgrade(upgrade),
      (upgrade) => marketSockets.upgrade(upgrade),
    ])
    this.#streamServer = withStreams(marketServer(daemon), daemon, [
      (upgrade) => {
        marketSockets.accept(upgrade)
        return true
      },
    ])
  }

  /** Binds both ports and sets the URLs of the daemon. @throws ServiceError those of {@link listen} */
  async bind(ports: Ports): Promise<void> {
    const { HOST, SVC_PORT, SVC_WS_PORT } = this.#daemon.service.config
    const port = await listen(this.#server, HOST, ports.port ?? SVC_PORT, 'SVC_PORT')
    const wsPort = await listen(this.#streamServer, HOST, ports.wsPort ?? SVC_WS_PORT, STREAM_PORT_SETTING)
    const host = hostInUrl(HOST)
    this.#daemon.url = `http://${host}:${port}`
    this.#daemon.wsUrl = `ws://${host}:${wsPort}`
    this.#daemon.eventsUrl = `ws://${host}:${port}/events`
  }

  /** Ends the streams, refuses new connections and waits for requests in flight; also after a failed {@link bind}. */
  async close(): Promise<void> {
    const { clock } = this.#daemon.service
    this.#sockets.close()
    this.#marketSockets.close()
    await Promise.all([closeServer(this.#server, clock), closeServer(this.#streamServer, clock)])
  }
}

function eventSockets({ service, strategyRooms: strategies, tickets }: Daemon): EventSockets {
  const { clock, config, identity, log, stream } = service
  const cookieName = config.SESSION_COOKIE_NAME
  return new EventSockets({ identity, stream, tickets, strategies, cookieName, clock, log })
}

/** Returns the market stream of a daemon. */
export function marketSocketsOf({ clientBans, service, marketStream }: Daemon): MarketSockets {
  const { bus, clock, config, identity, log } = service
  const { broker, fanOut, subscriptions } = marketStream
  return new MarketSockets({
    bus,
    clock,
    log,
    broker,
    fanOut,
    subscriptions,
    verifyKey: (apiKey) => identity.apiKeys.verify(apiKey),
    onInvalidKey: (request, apiKey) => clientBans.addInvalidKey(callIn(request), apiKey),
    onRevoked: (listener) => identity.onRevoked(listener),
    allowedOrigins: config.WS_ALLOWED_ORIGINS,
  })
}

const hostInUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host)
