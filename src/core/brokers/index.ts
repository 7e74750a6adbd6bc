export * from './broker.js'
export { BrokerService, type BrokerServiceOptions, brokerFailure, DEFAULT_BROKER } from './service.js'
