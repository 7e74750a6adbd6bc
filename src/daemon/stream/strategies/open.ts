import { ServiceError } from '../../../core/errors/index.js'
import type { Service } from '../../service.js'
import { StrategyRooms } from './rooms.js'

/** Returns the rooms of the strategies of the service. */
export function strategyRooms(service: Service): StrategyRooms {
  const { clock, instruments, log, strategyCatalog, strategyRuns } = service
  return new StrategyRooms({
    clock,
    log,
    runs: strategyRuns,
    lotSizeOf: lotSizesOf(instruments),
    isOwner: async (username, strategyId) => {
      try {
        await strategyCatalog.get(username, strategyId)
        return true
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'not_found') return false
        throw error
      }
    },
  })
}

/** Returns the function that looks up the lot size of a contract. */
export function lotSizesOf({ directory }: Pick<Service['instruments'], 'directory'>) {
  return (symbol: string, exchange: string) => directory.find(symbol, exchange)?.lotSize
}
