import type { RouteAnswer } from '../../client/endpoints.js'
import { CliError, usageError } from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'
import type { GlobalSettings } from '../framework/globals.js'
import { homeFile, readDaemonFile, readSecret, type StoredSecret, storeSecret } from '../io/home.js'
import type { Io } from '../io/io.js'

const DEFAULT_URL = 'http://127.0.0.1:5000'

/** The daemon a command talks to, and where its address comes from. */
export interface Target {
  url: string
  source: 'named' | 'home' | 'default'
}

/** Returns the daemon to talk to: `--url` > `SVC_URL` > the home's `daemon.json` > the default. */
export function resolveTarget(settings: Pick<GlobalSettings, 'url' | 'home'>): Target {
  if (settings.url !== undefined) return { url: settings.url, source: 'named' }
  const daemon = readDaemonFile(settings.home)
  return daemon ? { url: daemon.url, source: 'home' } : { url: DEFAULT_URL, source: 'default' }
}

/**
 * Returns the current address of the home's daemon if `target` is that daemon. Otherwise `target` stays, also
 * while the home names no daemon: a credential must not reach another address.
 */
export function refreshedTarget(target: Target, settings: Pick<GlobalSettings, 'url' | 'home'>): Target {
  if (target.source !== 'home') return target
  const now = resolveTarget(settings)
  return now.source === 'home' ? now : target
}

/** A credential and its origin, which an error about it names. */
export interface Credential {
  value: string
  kind: 'key' | 'token' | 'session'
  /** Such as `SVC_API_KEY`. */
  origin: string
  /** True for a key of a change that no session came with: semi-auto mode then blocks cancels and closes, too. */
  isAlone?: true
}

/**
 * Returns the key of API commands: `--apikey` or `--apikey-file` > `SVC_API_KEY` > the key stored in the
 * home.
 */
export function resolveApiKey(settings: GlobalSettings, io: Io, target: Target): Credential {
  const key = findApiKey(settings, io, target)
  if (key !== undefined) return key
  throw new CliError(EXIT.denied, `No API key for ${target.url}.`, {
    code: 'invalid_key',
    hint: 'For the first user: svc setup. Otherwise: svc login, then svc apikey show --save; or set SVC_API_KEY.',
  })
}

/** Returns the key of API commands; undefined when there is none. */
export function findApiKey(settings: GlobalSettings, io: Io, target: Target): Credential | undefined {
  const { apikey, home } = settings
  if (apikey !== undefined) return { value: apikey, kind: 'key', origin: '--apikey or --apikey-file' }
  const own = secretIn(io, 'SVC_API_KEY')
  if (own) return { value: own, kind: 'key', origin: 'SVC_API_KEY' }
  const kept = usable(readSecret(home, 'apikey.json'), target)
  return kept === undefined ? undefined : { value: kept, kind: 'key', origin: homeFile(home, 'apikey.json') }
}

/** Returns the credential of session commands: `SVC_TOKEN` > the session that `svc login` stored. */
export function resolveSession(settings: GlobalSettings, io: Io, target: Target): Credential {
  const token = findSession(settings, io, target)
  if (token !== undefined) return token
  throw new CliError(EXIT.denied, `Not signed in at ${target.url}.`, {
    code: 'unauthenticated',
    hint: 'Sign in: svc login; in scripts set SVC_TOKEN (svc token create).',
  })
}

/** Returns the session credential; undefined when there is none. */
export function findSession(settings: GlobalSettings, io: Io, target: Target): Credential | undefined {
  const own = secretIn(io, 'SVC_TOKEN')
  if (own) return { value: own, kind: 'token', origin: 'SVC_TOKEN' }
  const kept = usable(readSecret(settings.home, 'session.json'), target)
  const origin = homeFile(settings.home, 'session.json')
  return kept === undefined ? undefined : { value: kept, kind: 'session', origin }
}

/**
 * Returns a secret of the environment without the line end, blank or byte order mark that a file or a shell has put
 * around it. @throws a usage error for a character that no such secret has
 */
function secretIn({ env }: Io, name: 'SVC_API_KEY' | 'SVC_TOKEN'): string | undefined {
  const value = env[name]?.trim()
  if (value === undefined || /^[!-~]*$/.test(value)) return value
  throw usageError(`${name} has a character that no such secret has.`, 'Copy it again, in one line.')
}

/** Stores a session of a daemon in the home, for the commands and for the terminal program. */
export function keepSession(
  home: string,
  url: string,
  { token, username, expires_at }: RouteAnswer<'POST /auth/login/totp'>,
): void {
  storeSecret(home, 'session.json', { value: token, username, url, expiresAt: expires_at })
}

/** Returns the next step after a daemon refused a credential, or what the credential may do. */
export function credentialHint(code: string, credential: Credential | undefined): string | undefined {
  if (credential === undefined) return undefined
  const { kind, origin } = credential
  if (code === 'forbidden') {
    if (kind === 'token') return 'See the scopes of the token in SVC_TOKEN: svc whoami'
    if (kind !== 'key') return undefined
    const signIn = credential.isAlone
      ? '. Cancels and closes work in semi_auto mode once you sign in: svc login'
      : ''
    return `See the order mode and the broker: svc status, svc broker status${signIn}`
  }
  if (code !== 'invalid_key' && code !== 'unauthenticated') return undefined
  if (kind === 'session') return `The session in ${origin} has ended. Sign in: svc login`
  if (kind === 'token') {
    return 'The token in SVC_TOKEN is unknown, expired or revoked. Unset it, or make a new one: svc token create'
  }
  return origin === 'SVC_API_KEY'
    ? 'The key in SVC_API_KEY was refused. Unset it, or set the current one: svc apikey show'
    : `The key from ${origin} was refused. Store the current one: svc apikey show --save`
}

/**
 * Returns a stored secret only for the home's own daemon, for this machine, or for the address it came from.
 */
function usable(kept: StoredSecret | undefined, target: Target): string | undefined {
  if (!kept) return undefined
  const own = target.source === 'home' || (isLoopback(target.url) && isLoopback(kept.url))
  return own || new URL(kept.url).origin === new URL(target.url).origin ? kept.value : undefined
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url)
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
