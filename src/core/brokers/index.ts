export * from './broker.js'
export { BrokerService, brokerFailure, DEFAULT_BROKER } from './service.js'
export type { SessionStatus } from './session-watch.js'
