export * from './config/index.js'
export type * from './ports.js'
export { TOKEN_PREFIX } from './token.js'
export * from './webhook/index.js'
