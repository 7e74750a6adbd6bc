import type { BrokerContext } from './context.js'

/** A field of a broker's log-in form. */
export interface CredentialField {
  name: string
  label: string
  /** Typed without echo, and never shown, logged or stored in clear. */
  secret: boolean
  required: boolean
  /**
   * `begin`: needed before the person signs in at the broker's page. The fields without it come afterwards: with the broker's
   * callback, or typed instead. Only for brokers with {@link BrokerAuth.begin}.
   */
  step?: 'begin'
  /**
   * `sealed`: stays in the session's `extra` fields, sealed, so that {@link BrokerAuth.refresh} can sign in unattended: a
   * TOTP seed or a PIN, where the broker allows that. Every other field is forgotten once the sign-in is complete.
   */
  keep?: 'sealed'
}

/** The fields of a log-in form that somebody filled in, by their names. */
export type CredentialValues = Readonly<Record<string, string>>

/** A signed-in broker account. Stored encrypted; never logged. */
export interface BrokerSession {
  accessToken: string
  feedToken?: string
  userId?: string
  /** Epoch milliseconds. */
  issuedAt: number
  expiresAt?: number
  /** The broker's own further fields, sealed with the rest. */
  extra?: Readonly<Record<string, string>>
}

/** What a log-in address must carry. */
export interface SignInRequest {
  /** Signed, good for one sign-in and ten minutes. It must come back as `state` in the query of the callback. */
  state: string
  /** Where the broker sends the browser, as configured; undefined if only the broker knows the address. */
  redirectUrl: string | undefined
}

export interface BrokerAuth {
  /**
   * Returns the address of the broker's log-in page, without a request. Absent if the broker has no such page.
   * @throws BrokerError `validation` if a field is missing
   */
  begin?(fields: CredentialValues, context: BrokerContext, request: SignInRequest): { address: string }
  /**
   * Signs in with the fields of the log-in form: those of the callback, or typed ones. Verifies the session with one cheap
   * authenticated read.
   */
  complete(fields: CredentialValues, context: BrokerContext): Promise<BrokerSession>
  /**
   * Makes a new session of one that has expired, without a person: by the broker's refresh token or by the sealed fields.
   * Absent if the broker has no such way.
   */
  refresh?(session: BrokerSession, context: BrokerContext): Promise<BrokerSession>
  logout?(session: BrokerSession, context: BrokerContext): Promise<void>
  /** The query of the broker's redirect. Absent if {@link begin} is. */
  callback?: {
    /** The query fields that {@link complete} takes. Nothing else of the query is used. */
    fields: readonly string[]
    /** The query fields that have these values if the person signed in. */
    success: Readonly<Record<string, string>>
  }
}
