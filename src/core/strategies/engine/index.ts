export { StrategyRun } from './run.js'
export * from './types.js'
