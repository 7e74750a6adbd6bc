export * from './money.js'
export * from './quantity.js'
export { divRound } from './scaled.js'
