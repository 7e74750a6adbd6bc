/** What an assistant may be allowed to do, and how a person reads it. */
export const MCP_SCOPES = {
  'read:market': 'Read market data: quotes, option chains, history, instruments, the calendar',
  'read:account': 'Read your account: orders, trades, positions, holdings, funds',
  'write:orders': 'Place, change and cancel orders, and close positions',
} as const satisfies Record<string, string>

export type McpScope = keyof typeof MCP_SCOPES
export const MCP_SCOPE_NAMES = [
  'read:market',
  'read:account',
  'write:orders',
] as const satisfies readonly McpScope[]

/** What a valid access token allows. */
export interface McpGrant {
  readonly clientId: string
  readonly clientName: string
  readonly userId: number
  readonly username: string
  readonly scopes: ReadonlySet<McpScope>
  /** The consent that the token comes from; a refresh keeps it. */
  readonly grantId: string
  /** The `jti` of the access token. */
  readonly tokenId: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Why a token is refused: the `error` and `error_description` of the challenge. */
export interface TokenRefusal {
  readonly error: 'invalid_token'
  readonly description: string
}

export interface McpSettings {
  /** Remote access by OAuth. Off by default; never on without a public address. */
  readonly enabled: boolean
  /** `https://…` without a trailing slash, or empty: the issuer of tokens. The resource is `<publicUrl>/mcp`. */
  readonly publicUrl: string
  /** Whether the owner approves each client before it can ask for consent. */
  readonly requireApproval: boolean
  /** Whether `write:orders` is granted at all. */
  readonly writeScopeEnabled: boolean
  /** Whether an order of an assistant always waits for a person in live mode. */
  readonly queueWrites: boolean
}

/** A call that the audit has kept. */
export interface McpAuditRow {
  readonly id: number
  readonly timestamp: number
  readonly jti: string | null
  readonly clientId: string | null
  readonly tool: string
  readonly scope: string | null
  readonly outcome: string
  readonly paramsHash: string
  readonly durationMs: number
  readonly requestIp: string | null
}

/** Which calls of the audit are wanted. */
export interface McpAuditFilter {
  /** A part of the name of the tool, in any case. */
  tool?: string | undefined
  scope?: string | undefined
  outcome?: string | undefined
  clientId?: string | undefined
}

export const MCP_OUTCOMES = [
  'success',
  'error',
  'bad_arguments',
  'denied',
  'unknown_tool',
  'rate_limited',
  'unauthorized',
] as const

/** How a call ended. The last four are calls that did not run. */
export type McpOutcome = (typeof MCP_OUTCOMES)[number]

/** One call of a tool, as the audit keeps it. */
export interface McpCall {
  /** None when the caller has no valid token, or is the owner over stdio. */
  readonly grant?: McpGrant | undefined
  readonly tool: string
  /** The scope that the tool needs, or none if the tool is unknown. */
  readonly scope: McpScope | null
  readonly outcome: McpOutcome
  /** The first 16 hex characters of the SHA-256 of the arguments as JSON with sorted keys. */
  readonly paramsHash: string
  readonly durationMs: number
  readonly address: string | null
}

/** What the MCP transport needs to know about its callers. */
export interface McpAccess {
  settings(): McpSettings
  /** Checks an access token: signature, audience, time, and that nobody has ended it. Never throws. */
  verify(accessToken: string): Promise<McpGrant | TokenRefusal>
  /** Returns whether a grant that `verify` returned is still valid now. */
  isLive(grant: McpGrant): boolean
  /**
   * Returns whether a grant may still send orders. The time of its token does not count: a call that began in time may
   * end.
   */
  mayWrite(grant: McpGrant): boolean
  /**
   * Calls back at once whenever grants ended before their time (revoked, kill switch, disabled): close each open
   * stream whose grant is not live any more. A token that only expires causes no call.
   */
  onEnded(listener: () => void): () => void
  /** The value of `WWW-Authenticate` for a request without a valid token. */
  challenge(refusal?: TokenRefusal): string
  /** Adds a call to the audit. Returns at once and never throws. */
  record(call: McpCall): void
}
