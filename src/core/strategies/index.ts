export * from './config/index.js'
export type * from './ports.js'
