import type { BrokerContext } from '../../broker.js'
import { BrokerSocket, type SocketHandlers } from '../../kit/socket/broker-socket.js'
import type { UpstoxApi } from '../api.js'
import { feedAddress } from '../wire.js'

/** Upstox sends nothing while nothing changes, so pings keep the connection known to be alive. */
const PING_MS = 15_000
const SILENCE_LIMIT_MS = 45_000

/** Returns a connection to a feed. Its address works once, so each dial asks for another. */
export function feedSocket(
  context: BrokerContext,
  api: UpstoxApi,
  feed: { name: string; authorize: string; query?: Readonly<Record<string, string>> },
  handlers: SocketHandlers,
): BrokerSocket {
  const { clock, log, sessionRefused } = context
  const { authorize, name, query = {} } = feed
  return new BrokerSocket(
    {
      clock,
      log,
      name,
      address: () => api.get(authorize, feedAddress, { query, rank: 'exit' }),
      ping: { everyMs: PING_MS, frame: 'protocol' },
      silenceLimitMs: SILENCE_LIMIT_MS,
      onRefused: sessionRefused,
    },
    handlers,
  )
}
