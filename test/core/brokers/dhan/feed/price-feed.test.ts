import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Tick } from '../../../../../src/core/market/schema.js'
import { SystemClock } from '../../../../../src/core/time/index.js'
import { scripOf } from '../../../../fixtures/fake-dhan/catalogue.js'
import { interestPacket, tickerPacket } from '../../../../fixtures/fake-dhan/packets.js'
import { startRig } from '../rig.js'

const REAL = new SystemClock()
const INFY = { symbol: 'INFY', exchange: 'NSE' }
const FUTURE = { symbol: 'NIFTY29JAN30FUT', exchange: 'NFO' }

let rig: Awaited<ReturnType<typeof startRig>>
let ticks: Tick[]
beforeEach(async () => {
  rig = await startRig()
  ticks = []
})
afterEach(() => rig.close())

const feed = () => {
  const { ticks: prices } = rig.client
  if (!prices) throw new Error('no feed')
  return prices
}

async function until<T>(probe: () => T | undefined | false): Promise<T> {
  for (let turn = 0; turn < 3000; turn++) {
    const found = probe()
    if (found !== undefined && found !== false) return found
    await REAL.sleep(1)
  }
  throw new Error('it did not come about')
}

const codes = () => rig.fake.feeds.received.map((frame) => JSON.parse(frame).RequestCode)

describe('ticks', () => {
  test('are put together from parts: the previous close and the interest stay', async () => {
    await feed().open((tick) => ticks.push(tick))
    feed().subscribe([FUTURE], 2)
    await until(() => ticks.length > 0)
    ticks.length = 0
    rig.fake.setPrice('NSE_FNO:53001', 24_130.7)
    const tick = await until(() => ticks[0])
    // A float of 32 bits has 24130.69921875.
    expect(tick).toMatchObject({ ltp: 24_130.7, prevClose: 24_120, oi: 7, volume: 100_010, open: 24_120 })
    expect(tick.depth).toBeUndefined()
    ticks.length = 0
    const scrip = scripOf('NSE_FNO', '53001')
    if (scrip) rig.fake.feeds.sendRaw(interestPacket(scrip))
    expect(await until(() => ticks[0])).toMatchObject({ ltp: 24_130.7, oi: 7 })
  })

  test('of an index have paise', async () => {
    await feed().open((tick) => ticks.push(tick))
    feed().subscribe([{ symbol: 'NIFTY', exchange: 'NSE_INDEX' }], 1)
    expect(await until(() => ticks[0])).toMatchObject({ ltp: 24_000.35, prevClose: 24_000.35 })
  })

  test('forget the depth when a subscription gets less', async () => {
    await feed().open((tick) => ticks.push(tick))
    feed().subscribe([INFY], 3)
    await until(() => ticks[0]?.depth)
    feed().subscribe([INFY], 1)
    await until(() => codes().includes(15))
    ticks.length = 0
    rig.fake.setPrice('NSE_EQ:1594', 1501)
    const tick = await until(() => ticks.find(({ ltp }) => ltp === 1501))
    expect(tick.depth).toBeUndefined()
    expect(codes()).toEqual([21, 22, 15])
  })

  test('whose times count as if India were in UTC are set right, for all that follow', async () => {
    await feed().open((tick) => ticks.push(tick))
    feed().subscribe([INFY], 1)
    await until(() => ticks.length > 0)
    ticks.length = 0
    const [scrip, price] = [scripOf('NSE_EQ', '1594'), rig.fake.exchange.price('NSE_EQ:1594')]
    if (!scrip || !price) throw new Error('not listed')
    const now = rig.clock.now()
    const inIndia = 19_800_000
    rig.fake.feeds.sendRaw(tickerPacket(scrip, price, now + inIndia))
    rig.fake.feeds.sendRaw(tickerPacket(scrip, price, now + inIndia - 7_200_000))
    await until(() => ticks.length === 2)
    const seconds = Math.floor(now / 1000) * 1000
    expect(ticks.map(({ timestamp }) => timestamp)).toEqual([seconds, seconds - 7_200_000])
  })

  test('come again after a reconnect', async () => {
    await feed().open((tick) => ticks.push(tick))
    feed().subscribe([INFY], 2)
    await until(() => ticks.length > 0)
    ticks.length = 0
    rig.fake.feeds.disconnectAll()
    await until(() => JSON.stringify(rig.context.lines).includes('broker.socket_dropped'))
    await rig.clock.advance(1000)
    expect(await until(() => ticks[0])).toMatchObject({ ltp: 1500, prevClose: 1500 })
    expect(rig.fake.feeds.dials).toBe(2)
  })
})

describe('the server ends a connection', () => {
  test.each([
    ['because the session has expired', () => (rig.fake.signIn.ended = true), true],
    ['because the account has no prices', () => (rig.fake.signIn.dataPlan = 'Deactive'), false],
  ])('%s: it is not dialled again', async (_name, end, refused) => {
    end()
    await feed().open((tick) => ticks.push(tick))
    await until(() => rig.context.refusals() > 0)
    expect(feed().refused?.()).toBe(refused)
    await rig.clock.advance(120_000)
    expect(rig.fake.feeds.dials).toBe(0)
  })
})

test('a dead connection is noticed by pings of our own', async () => {
  await feed().open((tick) => ticks.push(tick))
  await rig.clock.advance(1500)
  await until(() => (feed().silentMs?.() ?? 1) === 0)
})

test('an unknown symbol is refused, and nothing changes', async () => {
  await feed().open((tick) => ticks.push(tick))
  expect(() => feed().subscribe([INFY, { symbol: 'NOSUCH', exchange: 'NSE' }], 1)).toThrow(/not found/)
  expect(rig.fake.feeds.carried()).toEqual([0])
})
