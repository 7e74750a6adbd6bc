import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { RouteAnswer } from '../../client/endpoints.js'
import type { Trust } from '../../client/transport/agents.js'
import { contextAt } from '../contexts/file.js'
import type { Target } from '../contexts/target.js'
import { isLoopback } from '../contexts/words.js'
import { CliError, usageError } from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'
import type { GlobalSettings } from '../framework/globals.js'
import { readSecret, requireHome, type SecretFile, type StoredSecret, storeSecret } from '../io/home.js'
import type { Io } from '../io/io.js'
import type { AskedDaemon } from './no-answer.js'

/** A credential and its origin, which an error about it names. */
export interface Credential {
  value: string
  kind: 'key' | 'token' | 'session'
  /** Such as `SVC_API_KEY`. */
  origin: string
  /** True for a key of a change that no session came with: semi-auto mode then blocks cancels and closes, too. */
  isAlone?: true
  /** The id of the daemon that it was stored for, which must be proved before it is sent; absent if none is known. */
  id?: string | undefined
  /** True if the id is that of a session that goes along with a key. */
  isIdOfSession?: true
}

/** The codes of a credential that is missing here; a daemon that refuses one uses the same. */
const MISSING = { key: 'invalid_key', session: 'unauthenticated' } as const

/** The error of a command that has no credential. Nothing was asked of the daemon, which may be down. */
export class NoCredentialError extends CliError {}

/**
 * Returns the key of API commands: `--apikey` or `--apikey-file` > `SVC_API_KEY` > the key stored in the
 * home or in the folder of the context.
 */
export function resolveApiKey(settings: GlobalSettings, io: Io, target: Target): Credential {
  const key = findApiKey(settings, io, target)
  if (key !== undefined) return key
  const { env } = io
  throw new NoCredentialError(EXIT.denied, `No API key for ${placeOf(target)}.`, {
    code: MISSING.key,
    hint:
      foreignHint(target, 'apikey.json') ??
      earlierHint(stored(target, 'apikey.json', 'key')) ??
      unusedHint(target, env.SVC_API_KEY, 'SVC_API_KEY') ??
      namedHint(target, io) ??
      (target.context === undefined
        ? 'For the first user: svc setup. Otherwise: svc login, then svc apikey show --save; or set SVC_API_KEY.'
        : `Store it: ${inContext(target, 'svc login')}, then ${inContext(target, 'svc apikey show --save')}`),
  })
}

/** Returns the key of API commands; undefined when there is none. */
export function findApiKey(
  settings: Pick<GlobalSettings, 'apikey'>,
  io: Io,
  target: Target,
): Credential | undefined {
  const { apikey } = settings
  if (apikey !== undefined) return { value: apikey, kind: 'key', origin: '--apikey or --apikey-file' }
  const own = secretFor(target, io, 'SVC_API_KEY')
  if (own && target.ownsEnvironment) return { value: own, kind: 'key', origin: 'SVC_API_KEY' }
  const key = stored(target, 'apikey.json', 'key')
  return isOfAnother(key, findSession(io, target)) ? undefined : key
}

/**
 * Returns whether a key and a session came from two daemons. Requests take both along, and a daemon proves one id: the session
 * counts, because its sign-in is the later one.
 */
function isOfAnother(key: Credential | undefined, session: Credential | undefined): boolean {
  return key?.id !== undefined && session?.id !== undefined && key.id !== session.id
}

/** Says that a key came from a daemon that this address had before the sign-in; undefined if there is none. */
function earlierHint(key: Credential | undefined): string | undefined {
  if (key?.id === undefined) return undefined
  return `The stored one is for the daemon with the id ${key.id}, which was here before. Store the current one: svc apikey show --save`
}

/** Returns the credential of session commands: `SVC_TOKEN` > the session that `svc login` stored > the context's token. */
export function resolveSession(io: Io, target: Target): Credential {
  const token = findSession(io, target)
  if (token !== undefined) return token
  const { env } = io
  throw new NoCredentialError(EXIT.denied, `Not signed in at ${placeOf(target)}.`, {
    code: MISSING.session,
    hint:
      foreignHint(target, 'session.json') ??
      foreignHint(target, 'token.json') ??
      unusedHint(target, env.SVC_TOKEN, 'SVC_TOKEN') ??
      (target.context === undefined
        ? 'Sign in: svc login; in scripts set SVC_TOKEN (svc token create).'
        : `Sign in: ${inContext(target, 'svc login')}`),
  })
}

/** Returns the session credential; undefined when there is none. */
export function findSession(io: Io, target: Target): Credential | undefined {
  const own = secretFor(target, io, 'SVC_TOKEN')
  if (own && target.ownsEnvironment) return { value: own, kind: 'token', origin: 'SVC_TOKEN' }
  const session = stored(target, 'session.json', 'session')
  const token = stored(target, 'token.json', 'token')
  const until = readSecret(target.folder, 'session.json')?.expiresAt
  const hasEnded = until !== undefined && Date.parse(until) <= io.now()
  return token !== undefined && hasEnded ? token : (session ?? token)
}

/** Returns a command for the context of a target. */
export function inContext({ context }: Pick<Target, 'context'>, command: string): string {
  return context === undefined ? command : `${command} --context ${context.name}`
}

/** Returns where a daemon is, in words. */
export function placeOf({ context, url }: Target): string {
  return context === undefined ? url : `the context ${context.name} (${url})`
}

/** Says why a variable of the environment was not sent; undefined if it would have been. */
function unusedHint(target: Target, value: string | undefined, name: string): string | undefined {
  if (target.ownsEnvironment || !value) return undefined
  const { context } = target
  const way = context === undefined ? 'with --context local' : `unless SVC_CONTEXT=${context.name} chooses it`
  return `${name} is not sent ${context === undefined ? 'to this daemon' : 'to it'} ${way}. Sign in: ${inContext(target, 'svc login')}`
}

/** Names the context that has the URL that the user named; undefined if there is none. */
function namedHint({ source, url }: Target, io: Io): string | undefined {
  const name = source === 'named' ? contextAt(io, url) : undefined
  return name && `The context ${name} has this URL: use --context ${name}; or set SVC_API_KEY.`
}

/** Says that a secret is stored for a daemon that this is not any more; undefined if there is none. */
function foreignHint(target: Target, name: SecretFile): string | undefined {
  const kept = readSecret(target.folder, name)
  if (kept === undefined || belongs(kept, target)) return undefined
  const { context } = target
  if (context === undefined && (kept.id === undefined || target.trust.id === undefined)) return undefined
  const what = kept.url === target.url ? `the daemon with the id ${kept.id}` : kept.url
  return `The stored one is for ${what}, and is not sent to another. Sign in: ${inContext(target, 'svc login')}`
}

/**
 * Returns a secret of the environment, which a script means for a daemon that it does not name. The current context is not that
 * daemon, and its stored sign-in may have more rights.
 * @throws a usage error if the target is merely the current context
 */
function secretFor(target: Target, io: Io, name: 'SVC_API_KEY' | 'SVC_TOKEN'): string | undefined {
  const own = secretIn(io, name)
  if (own === undefined || target.isCurrent !== true || target.context === undefined) return own
  const { name: context } = target.context
  throw usageError(
    `${name} is set, and the daemon is that of the current context, ${context}, which does not take it.`,
    `Name the daemon: --context local with ${name}, --context ${context} with its own sign-in`,
  )
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

/** Stores a session of a daemon, for the commands and for the terminal program. */
export function keepSession(
  target: Target,
  { token, username, expires_at }: RouteAnswer<'POST /auth/login/totp'>,
): void {
  keepSecret(target, 'session.json', { value: token, username, expiresAt: expires_at })
}

/** Stores a secret, bound to its daemon: the context, the address and the id. */
export function keepSecret(
  { context, folder, trust, url }: Target,
  name: SecretFile,
  secret: Pick<StoredSecret, 'value' | 'username' | 'expiresAt'>,
): void {
  if (context === undefined) requireHome(folder)
  storeSecret(folder, name, { ...secret, url, context: context?.name, id: trust.id })
}

/**
 * Returns what is wrong with a token that a daemon refused; undefined for another refusal. The daemon itself cannot know that
 * it was no session, and says that one has expired.
 */
export function tokenProblem(
  code: string | undefined,
  credential: Credential | undefined,
): string | undefined {
  if (code !== 'unauthenticated' || credential?.kind !== 'token') return undefined
  return `The token in ${credential.origin} is unknown, expired or revoked.`
}

/** Returns the next step after a daemon refused a credential, or what the credential may do. */
export function credentialHint(code: string, credential: Credential | undefined): string | undefined {
  if (credential === undefined) return undefined
  const { kind, origin } = credential
  if (code === 'forbidden') {
    if (kind === 'token') return `See the scopes of the token in ${origin}: svc whoami`
    if (kind !== 'key') return undefined
    const signIn = credential.isAlone
      ? '. Cancels and closes work in semi_auto mode once you sign in: svc login'
      : ''
    return `See the order mode and the broker: svc status, svc broker status${signIn}`
  }
  if (code !== 'invalid_key' && code !== 'unauthenticated') return undefined
  if (kind === 'session') return `The session in ${origin} has ended. Sign in: svc login`
  if (kind === 'token') {
    return origin === 'SVC_TOKEN' ? 'Unset it, or make a new one: svc token create' : 'Sign in: svc login'
  }
  return origin === 'SVC_API_KEY'
    ? 'The key in SVC_API_KEY was refused. Unset it, or set the current one: svc apikey show'
    : `The key from ${origin} was refused. Store the current one: svc apikey show --save`
}

/**
 * Returns how a daemon must prove who it is before it gets these credentials. An address that no id is known for may have
 * another daemon today than the one that a stored credential came from.
 */
export function trustFor(trust: Trust, ...credentials: readonly (Credential | undefined)[]): Trust {
  const id = credentials.find((one) => one?.id !== undefined)?.id ?? trust.id
  return id === undefined ? trust : { ...trust, id }
}

/** Returns what the error of a daemon that proves another id says of the credential that was to be sent. */
export function storedFor(
  io: Io,
  url: string,
  credential: Credential | undefined,
): Pick<AskedDaemon, 'stored' | 'sameUrl'> {
  if (credential?.id === undefined) return {}
  const isKey = credential.kind === 'key' && !credential.isIdOfSession
  return { stored: isKey ? 'key' : 'session', sameUrl: contextAt(io, url) }
}

/** Returns a stored secret as a credential; undefined if it belongs to another daemon. */
function stored(target: Target, name: SecretFile, kind: Credential['kind']): Credential | undefined {
  const kept = readSecret(target.folder, name)
  if (kept === undefined || !belongs(kept, target)) return undefined
  const origin = join(target.folder, name)
  if (target.context !== undefined) requirePrivate(origin)
  return { value: kept.value, kind, origin, id: kept.id }
}

const EVERYBODY_ELSE = 0o077

/** @throws CliError (exit 1) for a secret that other users can read: it may be known to them */
function requirePrivate(file: string): void {
  if ((statSync(file).mode & EVERYBODY_ELSE) === 0) return
  throw new CliError(EXIT.failed, `Other users can read ${file}.`, {
    code: 'exposed_secret',
    hint: `Take it from them (chmod 600 ${file}), and sign in again: the old one may be known.`,
  })
}

/**
 * Returns whether a stored secret is for a daemon. That of a context is bound to its name, address and id; that of the home to
 * the daemon with its id, to this machine, or to the address it came from.
 */
function belongs(kept: StoredSecret, target: Target): boolean {
  const { context, source, trust, url } = target
  if (context !== undefined) return kept.context === context.name && kept.url === url && kept.id === trust.id
  const isSame = kept.id === undefined || trust.id === undefined || kept.id === trust.id
  const isProved = kept.id !== undefined && trust.id !== undefined
  const own = isProved || (isLoopback(kept.url) && (source === 'home' || isLoopback(url)))
  return isSame && (own || new URL(kept.url).origin === new URL(url).origin)
}
