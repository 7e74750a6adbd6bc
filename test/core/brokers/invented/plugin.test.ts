import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { Tick } from '../../../../src/core/market/schema.js'
import { SystemClock, VirtualClock } from '../../../../src/core/time/index.js'
import { ACCOUNT } from '../../../fixtures/invented-broker/fake/routes.js'
import { FakeInvented } from '../../../fixtures/invented-broker/fake/server.js'
import { invented } from '../../../fixtures/invented-broker/plugin/index.js'
import { contextFor, SESSION } from './rig.js'

const REAL = new SystemClock()
const GOLDM = { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX' }
const FIELDS = { app_id: ACCOUNT.appId, app_secret: ACCOUNT.appSecret, code: ACCOUNT.code }

let clock: VirtualClock
let fake: FakeInvented
beforeEach(async () => {
  clock = new VirtualClock('2025-09-12T10:00:00+05:30')
  fake = await FakeInvented.start({ clock, limits: 'none' })
})
afterEach(() => fake.stop())

async function until(probe: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2000 && !probe(); turn++) await REAL.sleep(1)
  expect(probe()).toBe(true)
}

describe('the invented broker', () => {
  it('signs in with a code, which works once, and signs out', async () => {
    const context = await contextFor(fake, clock)
    const request = { state: 'signed', redirectUrl: undefined }
    expect(invented.auth.begin?.(FIELDS, context, request).address).toBe(
      `${fake.endpoints.login}/login?app=${ACCOUNT.appId}&state=signed`,
    )
    const session = await invented.auth.complete(FIELDS, context)
    expect(session).toMatchObject({ userId: ACCOUNT.account, expiresAt: clock.now() + 36_000_000 })
    await expect(invented.auth.complete(FIELDS, context)).rejects.toMatchObject({ kind: 'auth', sent: 'yes' })
    await invented.auth.logout?.(session, context)
    const client = invented.connect(session, context)
    await expect(client.portfolio.funds()).rejects.toMatchObject({ kind: 'auth' })
    await client.close()
  })

  it('gives whole ticks of parts: a move of the price keeps close, day and open interest, in units', async () => {
    const client = invented.connect(SESSION, await contextFor(fake, clock))
    const ticks: Tick[] = []
    await client.ticks?.open((tick) => ticks.push(tick))
    client.ticks?.subscribe([GOLDM], 3)
    await until(() => ticks.some(({ depth }) => depth !== undefined))
    ticks.length = 0
    fake.setPrice('MCXCO/GOLDM-20300131-F', 72_200)
    await until(() => ticks.length > 0)
    expect(ticks[0]).toMatchObject({
      ltp: 72_200,
      prevClose: 72_150,
      open: 72_150,
      oi: 70,
      volume: 1_000_100,
    })
    expect(ticks[0]?.depth?.buy[0]?.quantity).toBe(1000)
    await client.close()
  })

  it('asks for a new address at every dial, and a used one is refused', async () => {
    const address = fake.world.feedAddress()
    const client = invented.connect(SESSION, await contextFor(fake, clock))
    await client.ticks?.open(() => undefined)
    expect(fake.requests).toContain('POST /v2/feed')
    const dial = async () => {
      const socket = new WebSocket(address)
      return once(socket, 'open').then(
        () => {
          socket.terminate()
          return true
        },
        () => false,
      )
    }
    expect([await dial(), await dial()]).toEqual([true, false])
    await client.close()
  })
})
