export { type AlertFacts, type AlertLine, type Facts, fact, failure } from './alert-lines.js'
export * from './keys.js'
export type { OrderOperation } from './order-operation.js'
export * from './order-operations.js'
