import { expect, it, onTestFinished } from 'vitest'
import { upstox } from '../../../../src/core/brokers/upstox/index.js'
import { istInstant, VirtualClock } from '../../../../src/core/time/index.js'
import { FAKE_ACCOUNT } from '../../../fixtures/fake-upstox/server.js'
import { contextFor, SESSION, startRig } from './rig.js'

const { auth } = upstox
const { accessToken, apiKey, apiSecret, code, redirectUrl } = FAKE_ACCOUNT

async function open(at = '2026-11-27T10:00:00+05:30') {
  const clock = new VirtualClock(at)
  const rig = await startRig(clock)
  onTestFinished(() => rig.close())
  return { ...rig, clock }
}

it('leads to the log-in page, and from its callback to a session', async () => {
  const { context, fake } = await open()
  const { address } = auth.begin?.({ api_key: apiKey }, context, { state: 'signed', redirectUrl }) ?? {
    address: '',
  }
  expect(address).toBe(
    `${fake.endpoints.login}/v2/login/authorization/dialog?response_type=code&client_id=${apiKey}` +
      `&redirect_uri=${encodeURIComponent(redirectUrl)}&state=signed`,
  )
  const { headers, status } = await fetch(address, { redirect: 'manual' })
  expect(status).toBe(302)
  const callback = new URL(headers.get('location') ?? '')
  expect([callback.pathname, callback.searchParams.get('state')]).toEqual(['/upstox/callback', 'signed'])
  const fields = { api_key: apiKey, api_secret: apiSecret, code: callback.searchParams.get('code') ?? '' }
  const session = await auth.complete(fields, context)
  expect(session).toEqual({
    accessToken: `${accessToken}0001`,
    userId: 'FU0001',
    issuedAt: context.clock.now(),
    expiresAt: istInstant('2026-11-28', '03:30'),
  })
  await expect(auth.complete(fields, context)).rejects.toMatchObject({ kind: 'auth', sent: 'yes' })
})

it('takes a pasted token, and proves it with the profile', async () => {
  const { context, fake } = await open()
  const session = await auth.complete({ api_key: apiKey, access_token: ` ${accessToken} ` }, context)
  expect(session).toMatchObject({ accessToken, userId: 'FU0001' })
  expect(fake.requests).toEqual(['GET /v2/user/profile'])
  const wrong = auth.complete({ api_key: apiKey, access_token: 'another' }, context)
  await expect(wrong).rejects.toMatchObject({ kind: 'auth', sent: 'yes' })
})

it.each([
  ['2026-11-27T02:00:00+05:30', '2026-11-27'],
  ['2026-11-27T03:30:00+05:30', '2026-11-28'],
  ['2026-11-27T23:59:00+05:30', '2026-11-28'],
])('ends a session of %s at 03:30 on %s, as the broker does', async (at, date) => {
  const { client, clock, context, fake } = await open(at)
  const { expiresAt = 0 } = await auth.complete({ api_key: apiKey, api_secret: apiSecret, code }, context)
  expect([expiresAt, fake.signIn.endsAt]).toEqual([istInstant(date, '03:30'), istInstant(date, '03:30')])
  await clock.advance(expiresAt - clock.now())
  await expect(client.orders.list()).rejects.toMatchObject({ kind: 'auth', sent: 'yes' })
})

it('ends the session that the fake begins with, too', async () => {
  const { clock, context } = await open('2026-11-27T11:00:00+05:30')
  const client = upstox.connect(SESSION, context)
  onTestFinished(() => client.close())
  expect(await client.orders.list()).toEqual([])
  await clock.advance(istInstant('2026-11-28', '03:30') - clock.now())
  await expect(client.orders.list()).rejects.toMatchObject({ kind: 'auth', sent: 'yes' })
})

it('says what is missing, and sends nothing then', async () => {
  const { context, fake } = await open()
  const refused = (fields: Record<string, string>, changes = {}) =>
    expect(auth.complete(fields, { ...context, ...changes })).rejects
  await refused({}).toMatchObject({ message: 'api_key is required.', sent: 'never' })
  await refused({ api_key: apiKey, code }).toMatchObject({
    message: expect.stringContaining('api_secret and code'),
  })
  await refused({ api_key: apiKey, api_secret: apiSecret, code }, { redirectUrl: undefined }).toMatchObject({
    message: expect.stringContaining('REDIRECT_URL'),
    sent: 'never',
  })
  expect(() => auth.begin?.({ api_key: apiKey }, context, { state: 's', redirectUrl: undefined })).toThrow(
    'REDIRECT_URL',
  )
  expect(fake.requests).toEqual([])
})

it('shows no secret in a refusal of the exchange', async () => {
  const { context, fake } = await open()
  fake.script.set({
    route: 'session',
    actions: [`reject:UDAPI100069:The secret ${apiSecret} of ${code} is wrong.`],
  })
  const refused = auth.complete({ api_key: apiKey, api_secret: apiSecret, code }, context)
  await expect(refused).rejects.toMatchObject({ message: 'The secret [redacted] of [redacted] is wrong.' })
})

it('signs out at the broker', async () => {
  const { client, context } = await open()
  await auth.logout?.({ accessToken, issuedAt: 0 }, context)
  await expect(client.orders.list()).rejects.toMatchObject({ kind: 'auth' })
})

it('needs a redirect address of its own: that of another broker is none', () => {
  expect(contextFor({}).redirectUrl).toBe(redirectUrl)
  expect(auth.callback).toEqual({ fields: ['code'], success: {} })
  expect(auth.refresh).toBeUndefined()
})
