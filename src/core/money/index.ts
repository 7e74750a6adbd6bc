export * from './money.js'
