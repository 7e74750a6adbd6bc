export { isEmailAddress } from './email.js'
export * as fields from './fields.js'
export { keysAt } from './known-keys.js'
export { fieldErrors, nearestName, parseWith } from './parse.js'
