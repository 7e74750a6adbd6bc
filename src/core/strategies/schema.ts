export type { BatchLeg, SignalLeg, StrategyConfig } from './config/schema.js'
export * from './config/vocabulary.js'
