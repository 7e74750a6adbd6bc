/** What a credential may do. `admin` implies all others (routes name the scope they need). */
export const SCOPES = {
  read: 'See orders, positions, approvals, flows, strategies, logs and status. Changes nothing.',
  orders:
    'See the order journal and settle orders in doubt. Orders are placed, modified and cancelled with the API key only.',
  approvals: 'Approve, reject and delete queued orders. What is approved is placed.',
  flows: 'Create, change, activate and run workflows. Workflows place orders: who has this scope can trade.',
  strategies: 'Create, change, start and stop strategies.',
  settings:
    'Change settings: live or analyze mode, order mode, the sandbox, mail, notifications, and which symbols pages follow.',
  admin: 'Everything, including users, tokens, bans, brokers and the kill switch.',
} as const

export type Scope = keyof typeof SCOPES

export const ORDER_MODES = ['auto', 'semi_auto'] as const
/** `auto` executes at once, `semi_auto` queues for approval (specification, "Order mode"). */
export type OrderMode = (typeof ORDER_MODES)[number]

export type Credential = 'session' | 'api_key' | 'access_token'

/** Who is calling, by which credential, and what it may do. The contract's `user_id` is the username. */
export interface Principal {
  readonly username: string
  readonly credential: Credential
  /** Which session, key or token it is: what {@link Revocation} names when it ends. */
  readonly credentialId: string
  readonly scopes: readonly Scope[]
}

/** Whether the principal holds any of the scopes. */
export function allows(principal: Principal, ...anyOf: readonly Scope[]): boolean {
  return principal.scopes.some((scope) => scope === 'admin' || anyOf.includes(scope))
}

/** Why a credential ended. */
export type RevocationReason = 'logout' | 'revoked' | 'evicted' | 'expired' | 'rotated'

/** A credential that has ended: whatever was opened with it must be closed. */
export interface Revocation {
  credential: Credential
  credentialId: string
  username: string
  reason: RevocationReason
}

/** Where a request came from, as far as it tells. */
export interface Device {
  ipAddress?: string | undefined
  /** The User-Agent. */
  deviceInfo?: string | undefined
}

/** A session that is alive. Times are epoch milliseconds. */
export interface Session {
  /** SHA-256 of the token, hex: names the session without opening it. */
  readonly id: string
  readonly username: string
  readonly deviceInfo: string | null
  readonly ipAddress: string | null
  readonly broker: string | null
  readonly loginTime: number
  readonly lastSeen: number
  readonly expiresAt: number
  readonly principal: Principal
}

/** A session as clients list it (contract, session API 1.13): times in IST, ISO without offset. */
export interface SessionView {
  session_id: string
  device_info: string | null
  ip_address: string | null
  broker: string | null
  login_time: string
  last_seen: string
}

export interface LoginAttempt extends Device {
  username: string
  status: 'success' | 'failed'
  loginType: 'password' | 'totp' | 'oauth' | 'resume' | 'totp_resume'
  broker?: string | undefined
  /** `invalid_credentials`, `invalid_totp`, … */
  failureReason?: string | undefined
}

/** A sign-in attempt as clients list it; `timestamp` in IST, ISO without offset. */
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
