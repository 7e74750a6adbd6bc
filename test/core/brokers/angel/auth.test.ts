import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { angel } from '../../../../src/core/brokers/angel/index.js'
import type { BrokerSession } from '../../../../src/core/brokers/broker.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { ACCOUNT, FakeAngel } from '../../../fixtures/fake-angel/server.js'
import { contextFor, FIELDS, SECRETS, SESSION } from './rig.js'

const MORNING = '2026-11-27T08:45:10+05:30'
const MIDNIGHT = Date.parse('2026-11-28T00:00:00+05:30')
const HOUR_MS = 3_600_000

let clock: VirtualClock
let fake: FakeAngel
let context: Awaited<ReturnType<typeof contextFor>>
beforeEach(async () => {
  clock = new VirtualClock(MORNING)
  fake = await FakeAngel.start({ clock, limits: 'none' })
  context = await contextFor(fake, clock)
})
afterEach(() => fake.stop())

const complete = (changes: Partial<Record<keyof typeof FIELDS, string>> = {}) =>
  angel.auth.complete({ ...FIELDS, ...changes }, context)

/** A session as the service stores it: the sealed fields of the form are with it. */
const stored = (session: BrokerSession): BrokerSession => ({
  ...session,
  extra: { ...FIELDS, ...session.extra },
})

async function canRead(session: BrokerSession): Promise<boolean> {
  const client = angel.connect(session, context)
  try {
    return (await client.portfolio.funds()).availableCash !== ''
  } catch {
    return false
  } finally {
    await client.close()
  }
}

describe('a sign-in', () => {
  it('needs the PIN and a code of the seed alone, and lasts until midnight', async () => {
    const session = await complete()
    expect(session).toMatchObject({
      accessToken: 'angeljwt0001',
      feedToken: 'angelfeed0001',
      userId: ACCOUNT.clientCode,
      issuedAt: clock.now(),
      expiresAt: MIDNIGHT,
      extra: {
        api_key: ACCOUNT.apiKey,
        client_code: ACCOUNT.clientCode,
        refresh_token: 'angelrefresh0001',
      },
    })
    expect(JSON.stringify(session)).not.toContain(ACCOUNT.pin)
    expect(fake.requests.slice(-2)).toEqual([
      'POST /rest/auth/angelbroking/user/v1/loginByPassword',
      'GET /rest/secure/angelbroking/user/v1/getProfile',
    ])
    expect(await canRead(session)).toBe(true)
  })

  it('waits for the next code when the present one ends in less than three seconds', async () => {
    await clock.advance(17_500)
    const signedIn = complete()
    await clock.advance(2_500)
    expect((await signedIn).userId).toBe(ACCOUNT.clientCode)
  })

  it('with a code of another window is refused', async () => {
    const ahead = new VirtualClock('2026-11-27T08:46:10+05:30')
    await expect(angel.auth.complete(FIELDS, { ...context, clock: ahead })).rejects.toMatchObject({
      kind: 'auth',
      message: 'Invalid totp',
    })
  })

  it.each([
    ['PIN', { pin: '0000' }],
    ['client code', { client_code: 'XX9' }],
  ])('with a wrong %s is refused for good, so that nobody sends it again', async (_name, wrong) => {
    await expect(complete(wrong)).rejects.toMatchObject({ kind: 'auth', sent: 'yes' })
  })

  it('names a missing field, and sends nothing', async () => {
    for (const name of ['api_key', 'client_code', 'pin', 'totp_secret'] as const)
      await expect(complete({ [name]: ' ' })).rejects.toMatchObject({
        kind: 'validation',
        sent: 'never',
        message: `${name} is required.`,
      })
    expect(fake.requests.filter((line) => line.startsWith('POST'))).toEqual([])
  })

  it('repeats no secret that the broker repeats', async () => {
    for (const secret of [ACCOUNT.pin, ACCOUNT.totpSecret]) {
      fake.script.set({ route: 'login', actions: [`reject:AB1007:${secret} is wrong`] })
      await expect(complete()).rejects.toMatchObject({ message: '[redacted] is wrong' })
    }
  })

  it('that is refused for the rate or by a broken broker may be tried again', async () => {
    fake.script.set({ route: 'login', actions: ['429', '5xx_before', 'reject:AB1004:Try later'] })
    for (const kind of ['rate_limit', 'unavailable', 'unavailable'])
      await expect(complete()).rejects.toMatchObject({ kind })
  })
})

describe('a renewal', () => {
  const refresh = (session: BrokerSession) => {
    if (!angel.auth.refresh) throw new Error('no renewal')
    return angel.auth.refresh(stored(session), context)
  }

  it('takes the refresh token within the day', async () => {
    const first = await complete()
    await clock.advance(HOUR_MS)
    const second = await refresh(first)
    expect(second).toMatchObject({ accessToken: 'angeljwt0002', expiresAt: MIDNIGHT })
    expect(fake.requests.at(-2)).toBe('POST /rest/auth/angelbroking/jwt/v1/generateTokens')
    expect([await canRead(first), await canRead(second)]).toEqual([false, true])
  })

  it('signs in anew after midnight, when Angel takes no refresh token of the day before', async () => {
    const first = await complete()
    await clock.advance(MIDNIGHT - clock.now())
    expect(await canRead(first)).toBe(false)
    const second = await refresh(first)
    expect(second).toMatchObject({ accessToken: 'angeljwt0002', expiresAt: MIDNIGHT + 24 * HOUR_MS })
    expect(await canRead(second)).toBe(true)
  })

  it('is refused for good with a PIN that is no longer right', async () => {
    const first = await complete()
    await clock.advance(MIDNIGHT - clock.now())
    const wrong = { ...first, extra: { ...FIELDS, ...first.extra, pin: '0000' } }
    await expect(angel.auth.refresh?.(wrong, context)).rejects.toMatchObject({ kind: 'auth' })
  })

  it('that gets no answer does not fall back to the PIN', async () => {
    const first = await complete()
    fake.script.set({ route: 'renew', actions: ['5xx_before'] })
    await expect(refresh(first)).rejects.toMatchObject({ kind: 'unavailable' })
    expect(fake.requests.filter((line) => line.includes('loginByPassword'))).toHaveLength(1)
  })
})

describe('a sign-out', () => {
  it('ends the session at the broker', async () => {
    const session = await complete()
    await angel.auth.logout?.(session, context)
    expect(await canRead(session)).toBe(false)
  })
})

it('no secret is in any log line', async () => {
  const session = await complete()
  await angel.auth.refresh?.(stored(session), context)
  const lines = JSON.stringify(context.lines)
  for (const secret of [...SECRETS, session.accessToken]) expect(lines).not.toContain(secret)
})

it('a session of another plugin is refused before anything is sent', () => {
  expect(() => angel.connect({ accessToken: 'x', issuedAt: 0 }, context)).toThrow('not readable')
})

it('every call names the machine: as it is known, or with addresses that say nothing', async () => {
  await complete()
  expect(fake.toldAddress).toBe('127.0.0.1')
  const machine = { publicIp: '203.0.113.7', localIp: '192.168.1.5', mac: '02:00:5e:10:00:07' }
  const session = await angel.auth.complete(FIELDS, { ...context, machine })
  expect(fake.toldAddress).toBe('203.0.113.7')
  const client = angel.connect(session, { ...context, machine })
  fake.toldAddress = ''
  await client.orders.list()
  expect(fake.toldAddress).toBe('203.0.113.7')
  await client.close()
})

it('the session that the fake begins with ends at midnight, too', async () => {
  expect(await canRead(SESSION)).toBe(true)
  await clock.advance(MIDNIGHT - clock.now())
  expect(await canRead(SESSION)).toBe(false)
})
