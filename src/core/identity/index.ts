export { accountRules } from './account-rules.js'
export { accountOf, revokedTokens } from './credentials/ended-access-store.js'
export { isTotpFresh } from './freshness.js'
export { Identity, type IdentityConfig } from './identity.js'
export { PasswordMails } from './recovery/password-mails.js'
export {
  type AccessToken,
  allows,
  ORDER_MODES,
  type Principal,
  type Revocation,
  type RevocationReason,
  SCOPES,
  type Scope,
  type Session,
  type TotpPurpose,
  type TotpSettings,
} from './schema.js'
export { storeCredentialEnd } from './sessions/store-credential-end.js'
export type { CodeSignIn, PasswordSignIn, SignedIn } from './sign-ins.js'
export { replaceLostSecret } from './totp/lost-secret-store.js'
