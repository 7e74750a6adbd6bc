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
  zerodha.auth.complete(fields, contextFor(fake.endpoints, new VirtualClock(NOW)))

describe('the log-in page', () => {
  const begin = (fields: Record<string, string>, endpoints: Record<string, string> = {}) =>
    zerodha.auth.begin?.(fields, contextFor(endpoints), { state: 'a.b-c_d', redirectUrl: undefined }).address

  it('is at Kite, with the key and the state', () => {
    expect(begin({ api_key: ' k&y ', api_secret: apiSecret })).toBe(
      'https://kite.zerodha.com/connect/login?v=3&api_key=k%26y&redirect_params=state%3Da.b-c_d',
    )
  })

  it('is where the endpoint zerodha.login says', () => {
    expect(begin({ api_key: 'k' }, { login: 'http://127.0.0.1:7000' })).toMatch(
      /^http:\/\/127\.0\.0\.1:7000\/connect\/login\?v=3/,
    )
  })

  it('needs the key', () => {
    expect(() => begin({})).toThrow('api_key is required.')
  })

  it('leads back with the state and a token that works once', async () => {
    const page = await fetch(begin({ api_key: apiKey }, fake.endpoints) ?? '', { redirect: 'manual' })
    const query = new URL(page.headers.get('location') ?? '').searchParams
    expect([query.get('state'), query.get('status'), query.get('action')]).toEqual([
      'a.b-c_d',
      'success',
      'login',
    ])
    const fields = { api_key: apiKey, api_secret: apiSecret, request_token: query.get('request_token') ?? '' }
    expect(await login(fields)).toMatchObject({ userId: FAKE_ACCOUNT.userId })
    await expect(login(fields)).rejects.toMatchObject({ kind: 'auth' })
  })
})

describe('the secret of the application', () => {
  const fields = { api_key: apiKey, api_secret: apiSecret, request_token: requestToken }
  const extraWith = async (takesPostbacks: boolean) =>
    (await zerodha.auth.complete(fields, { ...contextFor(fake.endpoints), takesPostbacks })).extra

  it('stays in the session only where postbacks are taken', async () => {
    expect(await extraWith(false)).toBeUndefined()
  })

  it('proves postbacks where they are', async () => {
    expect(await extraWith(true)).toEqual({ api_secret: apiSecret })
  })
})

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
