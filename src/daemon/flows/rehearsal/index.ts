export { parseBars } from '../../../core/brokers/simulated/index.js'
export {
  type RehearsalOptions,
  type RehearsalProgress,
  type RehearsedWorkflow,
  rehearse,
} from './rehearse.js'
export { toRef } from './symbol.js'
