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
export function atOneAccount(port: OrdersPort, { brokers, mode }: AccountParts): OrdersPort {
  const active = () => ({ brokerId: brokers.brokerId, accountId: brokers.session?.userId })
  return {
    ...port,
    ofRun: () => {
      const { accountId, brokerId: broker } = active()
      return {
        send: async (call, body, context) => {
          const now = { mode: mode(), broker: active() }
          const switched = now.mode === 'live' ? switchedSince({ broker, accountId }, now, 'this') : undefined
          if (!switched) return port.send(call, body, context)
          return failedCall(new ServiceError(switched.code, switched.message))
        },
      }
    },
  }
}
