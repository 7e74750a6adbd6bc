import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { zerodha } from '../../../../src/core/brokers/zerodha/index.js'
import { INTERVALS } from '../../../../src/core/brokers/zerodha/mappings.js'
import { VirtualClock } from '../../../../src/core/time/index.js'
import { FAKE_ACCOUNT, FakeKite } from '../../../fixtures/fake-kite/server.js'
import { contextFor } from './rig.js'

/* Kite's rules on sessions and history, and that the fake enforces each. */

const { apiKey, apiSecret } = FAKE_ACCOUNT

let clock: VirtualClock
let fake: FakeKite
beforeEach(async () => {
  clock = new VirtualClock('2025-09-12T10:00:00+05:30')
  fake = await FakeKite.start({ clock, limits: 'none' })
})
afterEach(() => fake.stop())

const signIn = () =>
  zerodha.auth.complete(
    { api_key: apiKey, api_secret: apiSecret, request_token: fake.issueRequestToken() },
    contextFor(fake.endpoints, clock),
  )

/** Reads the funds with a session; undefined, or the kind of the refusal. */
async function funds(session: Awaited<ReturnType<typeof signIn>>): Promise<string | undefined> {
  const client = zerodha.connect(session, contextFor(fake.endpoints, clock))
  try {
    await client.portfolio.funds()
    return undefined
  } catch (error) {
    return error instanceof Error && 'kind' in error ? String(error.kind) : String(error)
  } finally {
    await client.close()
  }
}

async function dial(accessToken: string): Promise<number | undefined> {
  const query = new URLSearchParams({ api_key: apiKey, access_token: accessToken.split(':')[1] ?? '' })
  const socket = new WebSocket(`${fake.endpoints.ticker}/?${query}`)
  return new Promise((resolve) => {
    socket.on('open', () => {
      socket.terminate()
      resolve(101)
    })
    socket.on('unexpected-response', (_request, { statusCode }) => resolve(statusCode))
    socket.on('error', () => resolve(undefined))
  })
}

describe('a session at Kite', () => {
  it('ends at six in the morning in India, for calls and at the socket, when the plugin says', async () => {
    const session = await signIn()
    expect(session.expiresAt).toBe(Date.parse('2025-09-13T06:00:00+05:30'))
    await clock.advanceTo((session.expiresAt ?? 0) - 1)
    expect([await funds(session), await dial(session.accessToken)]).toEqual([undefined, 101])
    await clock.advance(1)
    expect([await funds(session), await dial(session.accessToken)]).toEqual(['auth', 403])
  })

  it('ends with the next sign-in, whose token is another', async () => {
    const first = await signIn()
    const second = await signIn()
    expect(await Promise.all([first, second].map(funds))).toEqual(['auth', undefined])
  })

  it('ends with the sign-out', async () => {
    const session = await signIn()
    await zerodha.auth.logout?.(session, contextFor(fake.endpoints, clock))
    expect(await funds(session)).toBe('auth')
  })
})

describe('bars at Kite', () => {
  it.each(Object.entries(INTERVALS))(
    '%s: the plugin asks for the largest span that a call may have, and for no larger one',
    async (interval, { kite, chunkDays }) => {
      const session = await signIn()
      const client = zerodha.connect(session, contextFor(fake.endpoints, clock))
      const from = '2020-01-01'
      const dayAfter = (days: number) =>
        new Date(Date.parse(`${from}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
      const ref = { symbol: 'INFY', exchange: 'NSE', interval, from }
      const reads = () => fake.requests.filter((request) => request.endsWith(`/${kite}`)).length
      await client.market.history({ ...ref, to: dayAfter(chunkDays - 1) })
      expect(reads()).toBe(1)
      await client.market.history({ ...ref, to: dayAfter(chunkDays) })
      expect(reads()).toBe(3)
      const [path, authorization] = [`/instruments/historical/408065/${kite}`, `token ${session.accessToken}`]
      const query = new URLSearchParams({ from: `${from} 00:00:00`, to: `${dayAfter(chunkDays)} 23:59:59` })
      const headers = { authorization, 'X-Kite-Version': '3' }
      expect((await fetch(`${fake.endpoints.api}${path}?${query}`, { headers })).status).toBe(400)
      await client.close()
    },
  )
})
