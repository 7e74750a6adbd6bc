import type { BrokerService } from '../../core/brokers/index.js'
import { ServiceError } from '../../core/errors/index.js'
import type { OrdersPort } from '../../core/flows/index.js'
import { switchedSince } from '../../core/orders/index.js'
import type { TradingMode } from '../../core/trading/index.js'
import { failedCall } from './call-result.js'

interface AccountParts {
  brokers: Pick<BrokerService, 'brokerId' | 'session'>
  mode(): TradingMode
}

/**
 * Returns the port with runs that send live orders only at the broker and the account of their begin: an exit at another one
 * would open a position there.
 */
export function atOneAccount(port: OrdersPort, parts: AccountParts): OrdersPort {
  return {
    ...port,
    ofRun: () => {
      const switched = switchedFrom(parts)
      return {
        send: async (call, body, context) => {
          const refusal = switched()
          if (!refusal) return port.send(call, body, context)
          return failedCall(new ServiceError(refusal.code, refusal.message))
        },
      }
    },
  }
}

/** Returns a check whether orders still go to the mode, and live ones to the broker and the account, of now. */
export function pinnedTo(parts: AccountParts): () => boolean {
  const mode = parts.mode()
  const switched = switchedFrom(parts)
  return () => parts.mode() === mode && switched() === undefined
}

/** Returns a check that returns why live orders do not go to the broker and the account of now any more. */
function switchedFrom({ brokers, mode }: AccountParts) {
  const active = () => ({ brokerId: brokers.brokerId, accountId: brokers.session?.userId })
  const { accountId, brokerId: broker } = active()
  return () => {
    const now = { mode: mode(), broker: active() }
    return now.mode === 'live' ? switchedSince({ broker, accountId }, now, 'this') : undefined
  }
}
