export * from './order-operations.js'
