/** The permissions of a credential. `admin` implies all others (routes name the scope they need). */
export const SCOPES = {
  read: 'See orders, positions, approvals, flows, strategies, logs and status. Changes nothing.',
  orders:
    'See the order journal and settle orders in doubt. Placing, modifying and cancelling orders needs the API key; beside it, the token may lower risk in semi-auto mode and while the kill switch is on.',
  approvals: 'Approve, reject and delete queued orders. An approved order is placed.',
  flows: 'Create, change, activate and run workflows. Workflows place orders, so this scope can trade.',
  strategies: 'Create, change, start and stop strategies.',
  settings:
    'Change settings: live or analyze mode, order mode, the sandbox, notifications, and which symbols pages follow.',
  admin: 'Everything, including users, tokens, bans, brokers, the mail server and the kill switch.',
} as const

export type Scope = keyof typeof SCOPES

export const ORDER_MODES = ['auto', 'semi_auto'] as const
/** `auto` executes orders at once, `semi_auto` queues them for approval. */
export type OrderMode = (typeof ORDER_MODES)[number]

type Credential = 'session' | 'api_key' | 'access_token'

/** An authenticated caller: the user, the credential and its scopes. The API's `user_id` is the username. */
export interface Principal {
  readonly username: string
  readonly credential: Credential
  /** The id of the session, key or token; {@link Revocation} carries the same id when it ends. */
  readonly credentialId: string
  readonly scopes: readonly Scope[]
}

/** Returns true when the principal has any of the scopes. */
export function allows(principal: Principal, ...anyOf: readonly Scope[]): boolean {
  return principal.scopes.some((scope) => scope === 'admin' || anyOf.includes(scope))
}

/** The reason a credential ended. */
export type RevocationReason =
  | 'logout'
  | 'revoked'
  | 'evicted'
  | 'expired'
  | 'rotated'
  | 'password_changed'
  | 'password_reset'
  | 'second_factor_changed'

/** A credential that has ended: the connections it opened must be closed. */
export interface Revocation {
  credential: Credential
  credentialId: string
  username: string
  reason: RevocationReason
}

/** The origin of a request, as far as it is known. */
export interface Device {
  ipAddress?: string | undefined
  /** The User-Agent. */
  deviceInfo?: string | undefined
}

/** A live session. Times are epoch milliseconds. */
export interface Session {
  /** SHA-256 of the token, hex: identifies the session but does not open it. */
  readonly id: string
  readonly username: string
  readonly deviceInfo: string | null
  readonly ipAddress: string | null
  readonly broker: string | null
  readonly loginTime: number
  readonly lastSeen: number
  readonly expiresAt: number
  /** The time of the last valid authenticator code in this session; null if there was none. */
  readonly totpVerifiedAt: number | null
  /** The time when the user last proved who they are: at the sign-in, or later in this session. */
  readonly authenticatedAt: number
  /** The monotonic reading of `totpVerifiedAt`. A duration is measured with it, because the clock may be set. */
  readonly codeReading: number | null
  /** The monotonic reading of `authenticatedAt`. */
  readonly proofReading: number
  readonly principal: Principal
}

/** A session as the API lists it: times in IST, ISO without offset. */
export interface SessionView {
  session_id: string
  device_info: string | null
  ip_address: string | null
  broker: string | null
  login_time: string
  last_seen: string
}

/** The sign-in attempts that somebody asks for. */
export interface AttemptFilter {
  limit: number
  status?: string | undefined
  /** Epoch milliseconds. */
  since?: number | undefined
}

/** The second factor of an account: the main switch and the purposes that need a code. */
export interface TotpSettings {
  readonly enabled: boolean
  readonly login: boolean
  readonly mcp: boolean
  readonly passwordReset: boolean
}
export type TotpPurpose = Exclude<keyof TotpSettings, 'enabled'>

export interface LoginAttempt extends Device {
  username: string
  /** The caller's own address, to recognise the caller later. `ipAddress` is for display, and can be forged. */
  ownAddress?: string | undefined
  status: 'success' | 'failed'
  /** `reset` is a code that was entered to reset the password; `username` is then the e-mail address as typed. */
  loginType: 'password' | 'totp' | 'oauth' | 'resume' | 'totp_resume' | 'reset'
  broker?: string | undefined
  /** `invalid_credentials`, `invalid_totp`, `reused_totp`, … */
  failureReason?: string | undefined
}

/** A sign-in attempt as the API lists it; `timestamp` in IST, ISO without offset. */
export interface LoginAttemptView {
  username: string
  ip_address: string | null
  device_info: string | null
  status: 'success' | 'failed'
  login_type: string | null
  broker: string | null
  failure_reason: string | null
  timestamp: string
}

/** An access token without its secret. Times are epoch milliseconds. */
export interface AccessToken {
  id: number
  username: string
  name: string
  scopes: readonly Scope[]
  createdAt: number
  expiresAt: number | null
  lastUsedAt: number | null
  revokedAt: number | null
}
