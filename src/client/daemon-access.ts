import type { RouteAnswer, SvcClient } from './index.js'

/** Access to the daemon, which may restart on another port. Its session may be renewed meanwhile. */
export interface DaemonAccess {
  /**
   * Returns a client of the daemon's address, the session and the API key as they are now. That of the terminal program never throws:
   * without a session its requests fail.
   * @throws Error without a session
   */
  client(timeoutMs: number): SvcClient
  /**
   * Reads the API key with the session, if none is stored: once for each session. Never throws.
   * @returns why there is no key; undefined if there is one
   */
  readKey?(): Promise<string | undefined>
  /** The name of the daemon, and its colour, for the header; undefined for that of the local home. */
  readonly context?: { name: string; colour: HeaderColour | undefined } | undefined
  /** The way to sign in; undefined when the credential is not a session. */
  readonly signIn?: SignInAccess | undefined
}

/** The colours that every terminal has. */
export type HeaderColour = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan'

export type NewSession = RouteAnswer<'POST /auth/login/totp'>

/** The way to a new session. */
export interface SignInAccess {
  /** The name of the last sign-in; empty if it is not known. */
  lastUsername(): string
  /** Returns a client of the daemon's address as it is now, without a credential. Its daemon proves who it is. */
  client(timeoutMs: number): Promise<SvcClient>
  /** Stores a session as `svc login` does. {@link DaemonAccess.client} uses it from now on. */
  keep(session: NewSession): void
}
