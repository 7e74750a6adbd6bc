export { accountRules } from './account-rules.js'
export { Identity, type IdentityConfig } from './identity.js'
export {
  type AccessToken,
  allows,
  ORDER_MODES,
  type Principal,
  type Revocation,
  SCOPES,
  type Scope,
  type Session,
} from './schema.js'
