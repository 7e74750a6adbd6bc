import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BrokerError } from '../../../../src/core/brokers/broker.js'
import { zerodha } from '../../../../src/core/brokers/zerodha/index.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { FAKE_ACCOUNT, FakeKite } from '../../../fixtures/fake-kite/server.js'
import { contextFor, SECRETS, SESSION } from './rig.js'

const NOW = '2025-09-04T10:00:00+05:30'
const { apiKey, apiSecret, requestToken, accessToken } = FAKE_ACCOUNT
let fake: FakeKite
beforeEach(async () => {
  fake = await FakeKite.start()
})
afterEach(() => fake.stop())

const login = (fields: Record<string, string>) =>
  zerodha.auth.login(fields, contextFor(fake.endpoints, new VirtualClock(NOW)))

describe('logging in', () => {
  const session = {
    accessToken: `${apiKey}:${accessToken}`,
    userId: FAKE_ACCOUNT.userId,
    issuedAt: Date.parse(NOW),
    expiresAt: Date.parse('2025-09-05T06:00:00+05:30'),
  }

  it('exchanges a request token by its checksum, and verifies the session', async () => {
    expect(await login({ api_key: apiKey, api_secret: apiSecret, request_token: requestToken })).toEqual(
      session,
    )
    expect(fake.requests).toEqual(['POST /session/token', 'GET /user/profile'])
  })

  it('accepts a pasted access token, even with spaces around it', async () => {
    expect(await login({ api_key: ` ${apiKey}`, access_token: `${accessToken}\n` })).toEqual(session)
    expect(fake.requests).toEqual(['GET /user/profile'])
  })

  const refused: [string, Record<string, string>, object][] = [
    ['no api key', { access_token: accessToken }, { kind: 'validation', sent: 'never' }],
    [
      'neither token nor secret',
      { api_key: apiKey, api_secret: apiSecret },
      { kind: 'validation', sent: 'never' },
    ],
    [
      'a wrong secret',
      { api_key: apiKey, api_secret: 'wrong', request_token: requestToken },
      { kind: 'auth', brokerStatus: 403 },
    ],
    [
      'an expired access token',
      { api_key: apiKey, access_token: 'expiredtoken' },
      { kind: 'auth', brokerStatus: 403 },
    ],
    ['a token with a newline in it', { api_key: apiKey, access_token: 'bad\ntoken' }, { sent: 'never' }],
  ]
  it.each(refused)('refuses %s, without showing the input', async (_name, fields, expected) => {
    const error: unknown = await login(fields).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(BrokerError)
    expect(error).toMatchObject(expected)
    const shown = error instanceof Error ? `${error.message} ${error.stack}` : ''
    for (const secret of [...SECRETS, 'expiredtoken', 'bad\ntoken']) expect(shown).not.toContain(secret)
  })

  it('logs out', async () => {
    await zerodha.auth.logout?.(SESSION, contextFor(fake.endpoints))
    expect(fake.requests).toEqual(['DELETE /session/token'])
  })

  it('a stored session of another format requires a new log-in', () => {
    const connect = () => zerodha.connect({ accessToken: 'nocolon', issuedAt: 0 }, contextFor(fake.endpoints))
    expect(connect).toThrow('Please log in again')
  })

  it('the master download needs a session', async () => {
    const download = async () => {
      for await (const _ of zerodha.instruments.download(undefined, contextFor(fake.endpoints)));
    }
    await expect(download()).rejects.toMatchObject({ kind: 'auth', sent: 'never' })
  })
})
