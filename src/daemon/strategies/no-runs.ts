import { ServiceError } from '../../core/errors/index.js'
import type { StrategyRuns } from '../../core/strategies/index.js'

const refuse = (): Promise<never> =>
  Promise.reject(new ServiceError('unavailable', 'No engine of strategies is connected'))

/** Stands in for the runs of strategies where no engine is connected. It refuses every act. */
export const NO_RUNS: Pick<StrategyRuns, 'start' | 'stop' | 'signal'> = {
  start: refuse,
  stop: refuse,
  signal: refuse,
}
