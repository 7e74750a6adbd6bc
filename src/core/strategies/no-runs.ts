import { ServiceError } from '../errors/index.js'
import type { StrategyRuns } from './ports.js'

function refuse(): Promise<never> {
  return Promise.reject(new ServiceError('unavailable', 'No engine of strategies is connected'))
}

/** Runs of a service without an engine: nothing runs, and nothing can be started. */
export const NO_RUNS: StrategyRuns = {
  start: refuse,
  stop: refuse,
  signal: refuse,
  closeAll: refuse,
  closeLeg: refuse,
  kill: async () => undefined,
}
