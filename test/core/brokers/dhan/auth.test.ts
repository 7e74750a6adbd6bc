import { describe, expect, test } from 'vitest'
import type { BrokerError, BrokerSession } from '../../../../src/core/brokers/broker.js'
import { auth, timeOf } from '../../../../src/core/brokers/dhan/auth.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { ACCOUNT, FakeDhan } from '../../../fixtures/fake-dhan/server.js'
import { contextFor, FRIDAY_10, SECRETS } from './rig.js'

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

async function open(at = FRIDAY_10) {
  const clock = new VirtualClock(at)
  const fake = await FakeDhan.start({ clock, limits: 'none' })
  const context = await contextFor(fake, clock)
  return { clock, fake, context }
}

const PASTED = { client_id: ACCOUNT.clientId, access_token: ACCOUNT.accessToken }
const UNATTENDED = { client_id: ACCOUNT.clientId, pin: ACCOUNT.pin, totp_secret: ACCOUNT.totpSecret }

/** Adds what the service keeps sealed. */
const kept = (session: BrokerSession): BrokerSession => ({
  ...session,
  extra: { ...session.extra, pin: ACCOUNT.pin, totp_secret: ACCOUNT.totpSecret },
})

async function refusal(call: Promise<unknown>): Promise<BrokerError> {
  const error = await call.then(
    () => undefined,
    (thrown: BrokerError) => thrown,
  )
  if (!error) throw new Error('it was not refused')
  for (const secret of SECRETS) expect(`${error.message} ${error.stack}`).not.toContain(secret)
  return error
}

describe('a pasted token', () => {
  test('is proved by the profile, and ends ten minutes before it does, so that it can be renewed', async () => {
    const { context, fake } = await open()
    const session = await auth.complete(PASTED, context)
    expect(session).toMatchObject({
      accessToken: ACCOUNT.accessToken,
      userId: ACCOUNT.clientId,
      issuedAt: context.clock.now(),
      extra: { client_id: ACCOUNT.clientId },
    })
    // The profile has minutes, no seconds.
    const end = Math.floor(fake.signIn.endsAt / MINUTE_MS) * MINUTE_MS
    expect(session.expiresAt).toBe(end - 10 * MINUTE_MS)
    await fake.stop()
  })

  test('is renewed for another day while it is valid, and not afterwards', async () => {
    const { clock, context, fake } = await open()
    const session = await auth.complete(PASTED, context)
    await clock.advance((session.expiresAt ?? 0) - clock.now())
    const next = await auth.refresh?.(session, context)
    expect(next?.accessToken).not.toBe(ACCOUNT.accessToken)
    expect(next?.expiresAt).toBeGreaterThan(clock.now() + DAY_MS - 11 * MINUTE_MS)
    await clock.advance(DAY_MS)
    const late = await refusal(auth.refresh?.(next ?? session, context) ?? Promise.resolve())
    expect(late).toMatchObject({ kind: 'auth', sent: 'yes', brokerCode: 'DH-901' })
    await fake.stop()
  })

  test('whose renewal loses its answer is not renewed twice, because the first renewal may have ended it', async () => {
    const { context, fake } = await open()
    const session = await auth.complete(PASTED, context)
    fake.script.set({ route: 'renew', actions: ['drop_after'] })
    const error = await refusal(auth.refresh?.(session, context) ?? Promise.resolve())
    expect(error).toMatchObject({ kind: 'network', sent: 'maybe' })
    expect(fake.requests.filter((line) => line === 'GET /v2/RenewToken')).toHaveLength(1)
    await fake.stop()
  })

  test('that Dhan does not know is refused', async () => {
    const { context, fake } = await open()
    const error = await refusal(auth.complete({ ...PASTED, access_token: 'sometoken' }, context))
    expect(error).toMatchObject({ kind: 'auth', sent: 'yes' })
    expect(error.message).not.toContain('sometoken')
    await fake.stop()
  })

  test('of an account without prices is taken, and logged', async () => {
    const { context, fake } = await open()
    fake.signIn.dataPlan = 'Deactive'
    await auth.complete(PASTED, context)
    expect(JSON.stringify(context.lines)).toContain('dhan.no_data_plan')
    await fake.stop()
  })
})

describe('PIN and TOTP', () => {
  test('sign in, and again without a person once the session has expired', async () => {
    const { clock, context, fake } = await open()
    const session = kept(await auth.complete(UNATTENDED, context))
    expect(session.expiresAt).toBe(Math.floor(fake.signIn.endsAt / 1000) * 1000)
    await clock.advance(DAY_MS)
    const next = await auth.refresh?.(session, context)
    expect(next?.accessToken).not.toBe(session.accessToken)
    expect(next?.expiresAt).toBeGreaterThan(clock.now())
    for (const secret of SECRETS) expect(JSON.stringify(context.lines)).not.toContain(secret)
    await fake.stop()
  })

  test('wait for the next code in the last seconds of one', async () => {
    const { clock, context, fake } = await open('2025-09-12T10:00:28.500+05:30')
    const session = auth.complete(UNATTENDED, context)
    await clock.advance(1400)
    expect(fake.requests).not.toContain('POST /app/generateAccessToken')
    await clock.advance(200)
    expect((await session).accessToken).not.toBe('')
    await fake.stop()
  })

  test('come too soon within two minutes of a token: that is no refusal, and works after the wait', async () => {
    const { clock, context, fake } = await open()
    const session = kept(await auth.complete(UNATTENDED, context))
    await clock.advance(MINUTE_MS)
    const error = await refusal(auth.refresh?.(session, context) ?? Promise.resolve())
    expect(error).toMatchObject({ kind: 'rate_limit', sent: 'yes', retryAfterMs: 2 * MINUTE_MS })
    await clock.advance(2 * MINUTE_MS)
    expect((await auth.refresh?.(session, context))?.accessToken).not.toBe(session.accessToken)
    await fake.stop()
  })

  test.each([
    ['the PIN', { pin: '000000' }],
    ['the TOTP secret', { totp_secret: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
  ])('are refused if %s is wrong', async (_name, changes) => {
    const { context, fake } = await open()
    const error = await refusal(auth.complete({ ...UNATTENDED, ...changes }, context))
    expect(error).toMatchObject({ kind: 'auth', sent: 'yes' })
    await fake.stop()
  })
})

describe('an answered sign-in without a token', () => {
  test.each([
    ['without a code', { status: 'error', message: 'Invalid PIN' }, undefined],
    ['with an unknown code', { errorCode: 'DH-1000', errorMessage: 'Invalid PIN' }, 'DH-1000'],
  ])('and %s is a refusal, so that no wrong PIN is sent again by itself', async (_name, body, brokerCode) => {
    const { context, fake } = await open()
    const session = kept(await auth.complete(UNATTENDED, context))
    fake.signIn.generate = () => body
    const error = await refusal(auth.refresh?.(session, context) ?? Promise.resolve())
    expect(error).toMatchObject({ kind: 'auth', sent: 'yes', brokerCode })
    await fake.stop()
  })
})

test.each([
  ['without a client id', { access_token: 'x' }, /client_id/],
  ['without anything to sign in with', { client_id: '1' }, /access_token/],
  ['with a PIN alone', { client_id: '1', pin: '1234' }, /both/],
  ['with a TOTP secret that is none', { client_id: '1', pin: '1234', totp_secret: '123456' }, /TOTP secret/],
])('%s nothing is sent', async (_name, fields, words) => {
  const { context, fake } = await open()
  const before = fake.requests.length
  const error = await refusal(auth.complete(fields, context))
  expect(error).toMatchObject({ kind: 'validation', sent: 'never', message: expect.stringMatching(words) })
  expect(fake.requests.length).toBe(before)
  await fake.stop()
})

test.each([
  ['2026-11-30T09:15:00', '2026-11-30T09:15:00+05:30'],
  ['2026-11-30 09:15:30.0', '2026-11-30T09:15:30+05:30'],
  ['30/11/2026 09:15', '2026-11-30T09:15:00+05:30'],
  ['30/11/2026 09:15:07', '2026-11-30T09:15:07+05:30'],
])('the time %s is %s', (stamp, expected) => {
  expect(timeOf(stamp)).toBe(Date.parse(expected))
})

test.each(['', 'NA', 'soon', '99/99/2026 10:00', '1757651400'])('%s is no time', (stamp) => {
  expect(timeOf(stamp)).toBeUndefined()
})
