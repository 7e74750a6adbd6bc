export * from './keys.js'
export * from './order-operations.js'
