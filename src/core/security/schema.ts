/** The origin of a ban: a person, a person by host name, or one of the two trackers. */
export type BanSource = 'manual' | 'host_ban' | '404_detector' | 'api_key_detector'

/** The ban of a client. Times are epoch milliseconds. */
export interface Ban {
  /** The group of the address (see `addressGroup`): an IPv4 address, or the /64 network of an IPv6 address. */
  readonly address: string
  readonly reason: string
  /** The number of bans that this client has had, with this one. */
  readonly count: number
  readonly bannedAt: number
  /** Null for a permanent ban. */
  readonly expiresAt: number | null
  readonly source: BanSource
}

/** The offences of one client in its window of 24 hours. Times are epoch milliseconds. */
export interface Offences {
  readonly address: string
  readonly count: number
  readonly firstAt: number
  readonly lastAt: number
  /** The newest distinct paths or key digests, oldest first. */
  readonly details: readonly string[]
}

/** The rules of automatic bans, from the settings. */
export interface BanRules {
  readonly securityAutoBanEnabled: boolean
  readonly security404Threshold: number
  /** Hours; 0 is permanent. */
  readonly security404BanDuration: number
  readonly securityApiThreshold: number
  /** Hours; 0 is permanent. */
  readonly securityApiBanDuration: number
  readonly securityRepeatOffenderLimit: number
}

/** The window in which the offences of a client add up. */
export const WINDOW_MS = 24 * 3_600_000
