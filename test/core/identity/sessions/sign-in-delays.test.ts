import { expect, test } from 'vitest'
import { SignInDelays } from '../../../../src/core/identity/sessions/sign-in-delays.js'
import { IdentityStore } from '../../../../src/core/identity/store.js'
import { DAY, MINUTE, OWNER, type World, world } from '../support.js'

const ATTACKER = { ipAddress: '203.0.113.1', ownAddress: '203.0.113.1' }
const HOME = { ipAddress: '198.51.100.7', ownAddress: '198.51.100.7' }
const WRONG = { username: OWNER.username, password: 'Wrong-Horse-1!', ...ATTACKER }

/** Returns the outcome of a sign-in: its error code, with the seconds to wait, or `in`. */
async function tried({ identity }: World, request: Parameters<World['identity']['signIn']>[0]) {
  return identity.signIn(request).then(
    () => 'in',
    ({ code, retryAfterSeconds }) =>
      retryAfterSeconds === undefined ? code : `${code} ${retryAfterSeconds}`,
  )
}

async function guess(at: World, times: number, request = WRONG): Promise<string[]> {
  const ends: string[] = []
  for (let time = 0; time < times; time++) ends.push(await tried(at, request))
  return ends
}

async function withOwner(): Promise<World> {
  const at = await world()
  await at.identity.users.setup(OWNER)
  return at
}

test('after five wrong passwords an account has to wait, each time longer, from any address', async () => {
  const at = await withOwner()
  expect(await guess(at, 6)).toEqual([...Array(5).fill('unauthenticated'), 'rate_limited 30'])
  const elsewhere = { ...WRONG, ipAddress: '203.0.113.2', ownAddress: '203.0.113.2' }
  expect(await tried(at, elsewhere)).toBe('rate_limited 30')
  const waits: string[] = []
  for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
    await at.clock.advance(seconds * 1000 - 1)
    expect(await tried(at, elsewhere)).toBe('rate_limited 1')
    await at.clock.advance(1)
    expect(await tried(at, elsewhere)).toBe('unauthenticated')
    waits.push(await tried(at, elsewhere))
  }
  expect(waits).toEqual([60, 120, 240, 480, 900, 900, 900].map((wait) => `rate_limited ${wait}`))
})

test('concurrent tries count each other', async () => {
  const at = await withOwner()
  const ends = await Promise.all(Array.from({ length: 12 }, () => tried(at, WRONG)))
  expect(ends.filter((end) => end === 'unauthenticated')).toHaveLength(5)
})

test('an unknown user name has to wait like a known one', async () => {
  const at = await withOwner()
  const ends = await guess(at, 6, { ...WRONG, username: 'nobody' })
  expect(ends).toEqual([...Array(5).fill('unauthenticated'), 'rate_limited 30'])
})

test('the owner is not shut out: not on the machine of the service, nor from an address that signed in before', async () => {
  const at = await withOwner()
  expect(await tried(at, { ...OWNER, ...HOME })).toBe('in')
  await guess(at, 6)
  expect(await tried(at, { ...OWNER, ...ATTACKER })).toBe('rate_limited 30')
  // A client can forge the displayed address, so the delay does not count by it.
  expect(await tried(at, { ...OWNER, ...HOME, ownAddress: ATTACKER.ownAddress })).toBe('rate_limited 30')
  expect(await tried(at, { ...OWNER, ...HOME, ownAddress: undefined })).toBe('rate_limited 30')
  expect(await tried(at, { ...OWNER, ...HOME })).toBe('in')
  await guess(at, 6)
  expect(await tried(at, { ...OWNER, isOwners: true })).toBe('in')
  expect(await tried(at, { ...OWNER, ...ATTACKER }), 'a success ends the wait').toBe('in')
})

test('the wait survives a restart, and ends without a sign-in', async () => {
  const at = await withOwner()
  await guess(at, 6)
  const again = await at.restart()
  expect(await tried(again, { ...OWNER, ...ATTACKER })).toBe('rate_limited 30')
  await again.clock.advance(30_000)
  expect(await tried(again, WRONG)).toBe('unauthenticated')
  expect(await tried(again, WRONG)).toBe('rate_limited 60')
  await again.clock.advance(MINUTE)
  expect(await tried(again, { ...OWNER, ...ATTACKER })).toBe('in')
  const later = await again.restart()
  expect(await guess(later, 5)).toEqual(Array(5).fill('unauthenticated'))
  await later.clock.advance(DAY)
  expect(await guess(later, 5)).toEqual(Array(5).fill('unauthenticated'))
})

test('invented names do not end the wait of an account, neither before a restart nor after it', async () => {
  const at = await withOwner()
  await guess(at, 6)
  await at.clock.advance(1)
  await at.db.write((tx) =>
    tx.query(
      `with recursive names(n) as (select 1 union all select n + 1 from names where n < 50001)
       insert into login_attempts (username, status, login_type, timestamp)
       select 'invented ' || n, 'failed', 'password', ${at.clock.now()} from names`,
    ),
  )
  const again = await at.restart()
  expect(await tried(again, WRONG)).toBe('rate_limited 30')
  const delays = await SignInDelays.open(new IdentityStore(again.db), again.clock, (name) => name === 'asha')
  for (let name = 0; name < 50_001; name++) await delays.begin({ username: `another ${name}` })
  await expect(delays.begin({ username: 'asha' })).rejects.toMatchObject({ code: 'rate_limited' })
})

test('invented e-mail addresses do not end the wait of a reset, neither before a restart nor after it', async () => {
  const at = await withOwner()
  const email = OWNER.email.toLowerCase()
  const verify = (world: typeof at) =>
    world.identity.passwords.verifyCode({ email, ...ATTACKER }, '000000').catch(({ code }) => code)
  for (let n = 0; n < 5; n++) expect(await verify(at)).toBe('validation')
  await at.clock.advance(1)
  await at.db.write((tx) =>
    tx.query(
      `with recursive names(n) as (select 1 union all select n + 1 from names where n < 50001)
       insert into login_attempts (username, status, login_type, timestamp)
       select 'invented' || n || '@example.org', 'failed', 'reset', ${at.clock.now()} from names`,
    ),
  )
  const again = await at.restart()
  expect(await verify(again)).toBe('rate_limited')
  const { users } = again.identity
  const isOwners = (address: string) => users.isOwnersEmail(address)
  const delays = await SignInDelays.open(new IdentityStore(again.db), again.clock, isOwners, 'resets')
  for (let name = 0; name < 50_001; name++) await delays.begin({ username: `another${name}@example.org` })
  await expect(delays.begin({ username: email })).rejects.toMatchObject({ code: 'rate_limited' })
})
