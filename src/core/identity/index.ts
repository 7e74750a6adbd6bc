export { accountRules, type NewAccount } from './account-rules.js'
export type { NewToken } from './credentials/access-tokens.js'
export {
  Identity,
  type IdentityConfig,
  type IdentityOptions,
  type SignIn,
  type SignInResult,
} from './identity.js'
export type { IdentityLog } from './identity-listeners.js'
export {
  type AccessToken,
  allows,
  type Credential,
  type Device,
  type LoginAttempt,
  type LoginAttemptView,
  ORDER_MODES,
  type OrderMode,
  type Principal,
  type Revocation,
  type RevocationReason,
  SCOPES,
  type Scope,
  type Session,
  type SessionView,
} from './schema.js'
