export * from './broker.js'
export { BrokerService, brokerFailure, DEFAULT_BROKER } from './service.js'
