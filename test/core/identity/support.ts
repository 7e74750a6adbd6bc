import { dirname, join } from 'node:path'
import { generateSync } from 'otplib'
import { onTestFinished } from 'vitest'
import { Identity, type IdentityConfig } from '../../../src/core/identity/index.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import { Database } from '../../../src/core/storage/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { boxFor } from '../../support/desk/secret-boxes.js'
import { tempFile } from '../../support/files/temp.js'
import { PreparedFolder } from '../../support/process/prepared-folder.js'

export const OWNER = { username: 'asha', email: 'asha@example.com', password: 'Correct-Horse-1!' }
/** A Monday, 10:00 in IST. */
export const MONDAY_TEN = '2026-01-05T10:00:00+05:30'
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export interface World {
  identity: Identity
  clock: VirtualClock
  db: Database
  file: string
  /**
   * Closes everything and opens it again on the same file, optionally with another configuration or clock.
   */
  restart(changed?: Omit<WorldOptions, 'file'>): Promise<World>
}

export interface WorldOptions {
  file?: string
  clock?: VirtualClock
  config?: Partial<IdentityConfig> | undefined
}

/** An identity on a real database file, under a clock that does not run. */
export async function world(options: WorldOptions = {}): Promise<World> {
  const { file = tempFile('svc.db'), clock = new VirtualClock(MONDAY_TEN) } = options
  const { db, identity } = await open(file, clock, options.config)
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await identity.close()
    await db.close()
  }
  onTestFinished(close)
  return {
    identity,
    clock,
    db,
    file,
    restart: async (changed = {}) => {
      await close()
      return world({ clock, config: options.config, ...changed, file })
    },
  }
}

async function open(file: string, clock: VirtualClock, changed?: Partial<IdentityConfig>) {
  const db = await Database.open({ file, schema: 'svc' })
  const config = {
    pepper: 'pepper'.repeat(6),
    sessionExpiryTime: '03:00',
    disableSessionExpiry: false,
    reauthMinutes: 15,
    ...changed,
  }
  const opening = Identity.open({ db, clock, config, secretBox: await boxFor(), log: silentLogger })
  const identity = await opening.catch(async (error) => {
    await db.close()
    throw error
  })
  return { db, identity }
}

/** The same, with a first user and that user's API key. */
export async function ownedWorld(options: WorldOptions = {}): Promise<World & { apiKey: string }> {
  const { file = tempFile('svc.db') } = options
  const isLater = (options.clock?.now() ?? Infinity) >= Date.parse(MONDAY_TEN)
  const isUsual = !options.file && isLater && !options.config?.pepper
  if (isUsual) await ownedFile.writeTo(dirname(file))
  const made = await world({ ...options, file })
  const { users, apiKeys } = made.identity
  if (users.needsSetup) return { ...made, apiKey: (await users.setup(OWNER)).apiKey }
  return { ...made, apiKey: apiKeys.reveal(OWNER.username) ?? '' }
}

/** A database with a first user. It is prepared once, so that the full-cost hashes are computed once. */
const ownedFile = new PreparedFolder(async (folder) => {
  const { db, identity } = await open(join(folder, 'svc.db'), new VirtualClock(MONDAY_TEN))
  await identity.users.setup(OWNER)
  await identity.close()
  await db.close()
})

/** Signs the owner in from the machine of the service, as a client with that name. */
export async function signIn(identity: Identity, deviceInfo = 'test') {
  const { username, password } = OWNER
  const result = await identity.signIn({
    username,
    password,
    deviceInfo,
    ipAddress: '127.0.0.1',
    isOwners: true,
  })
  if (result.totpRequired) throw new Error('the owner needs no code')
  return result
}

export const STEP = 30_000

/** Returns the owner's code of this step, or of one that many steps later. */
export async function codeOf({ identity, clock }: Pick<World, 'identity' | 'clock'>, later = 0) {
  const { secret } = await identity.secondFactor.enrolment(OWNER.username)
  return generateSync({ secret, epoch: Math.floor((clock.now() + later * STEP) / 1000) })
}

/** The settings that ask for a code at each sign-in. */
export const AT_SIGN_IN = { enabled: true, login: true, mcp: false, passwordReset: false }

/** Turns the second factor on with a code of this step, and lets that step end. */
export async function withSecondFactor(at: World, settings = AT_SIGN_IN): Promise<void> {
  const code = await codeOf(at)
  await at.identity.secondFactor.configure({ username: OWNER.username, code, isOwners: true }, settings)
  await at.clock.advance(STEP)
}

/** Signs the owner in by password and returns the token for the second step. */
export async function pendingToken({ identity }: World, request = {}): Promise<string> {
  const result = await identity.signIn({ ...OWNER, isOwners: true, ...request })
  if (!result.totpRequired) throw new Error('the owner needs a code')
  return result.pendingToken
}

/** Returns the outcome of an attempt: its error code, with the seconds to wait, or `done`. */
export async function outcomeOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => 'done',
    ({ code, retryAfterSeconds }) =>
      retryAfterSeconds === undefined ? code : `${code} ${retryAfterSeconds}`,
  )
}
