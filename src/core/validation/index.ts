export * as fields from './fields.js'
export { fieldErrors, parseWith } from './parse.js'
