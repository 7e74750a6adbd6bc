import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Rig, USER } from './harness.js'

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
})
afterEach(() => rig.close())

const at = (time: string, date = '2026-03-12') => `${date}T${time}+05:30`
const reasonOf = async (orderId: string) => (await rig.sandbox.books.order(USER, orderId))?.rejection_reason

describe('an IOC order', () => {
  const ioc = { priceType: 'LIMIT', instructions: { validity: 'IOC' } } as const

  it('fills at once, or is cancelled and gives its margin back', async () => {
    rig.price(250)
    const before = await rig.funds()
    expect(await rig.status(await rig.accepted({ ...ioc, price: 251 }))).toBe('complete 250.00')
    const between = await rig.funds()
    const missed = await rig.accepted({ ...ioc, price: 249 })
    expect(await rig.status(missed)).toBe('cancelled')
    expect(await reasonOf(missed)).toBe('IOC order, not filled at once')
    expect((await rig.funds()).availablecash).toBe(between.availablecash)
    expect(before.availablecash).not.toBe(between.availablecash)
    await rig.tick(240)
    expect(await rig.status(missed)).toBe('cancelled')
  })
})

describe('a TTL order', () => {
  const ttl = { priceType: 'LIMIT', price: 240, instructions: { validity: 'TTL', validityTtl: 5 } } as const

  it('ends at its minute, without a tick', async () => {
    rig.price(250)
    const orderId = await rig.accepted(ttl)
    await rig.pass(at('10:04:59'))
    expect(await rig.status(orderId)).toBe('open')
    await rig.pass(at('10:05:00'))
    expect(await rig.status(orderId)).toBe('cancelled')
    expect(await reasonOf(orderId)).toBe('TTL order, its minutes are over')
  })

  it('fills within its minutes', async () => {
    rig.price(250)
    const orderId = await rig.accepted(ttl)
    await rig.pass(at('10:04:00'))
    await rig.tick(239)
    expect(await rig.status(orderId)).toBe('complete 240.00')
    await rig.pass(at('10:06:00'))
    expect(await rig.status(orderId)).toBe('complete 240.00')
  })

  it('keeps its end over a restart, and one that ended meanwhile never fills', async () => {
    rig.price(250)
    const kept = await rig.accepted({ ...ttl, instructions: { validity: 'TTL', validityTtl: 10 } })
    const ended = await rig.accepted(ttl)
    rig.price(239)
    await rig.down(at('10:06:00'))
    await rig.clock.advance(1)
    expect(await rig.status(ended)).toBe('cancelled')
    expect(await rig.status(kept)).toBe('complete 240.00')
  })
})

describe('an AMO', () => {
  const amo = { product: 'CNC', instructions: { amo: true } } as const

  it('is accepted when the market is closed, and trades at the first price of the next session', async () => {
    await rig.pass(at('20:00:00'))
    rig.price(250)
    const market = await rig.accepted(amo)
    const limit = await rig.accepted({ ...amo, priceType: 'LIMIT', price: 255 })
    const low = await rig.accepted({ ...amo, priceType: 'LIMIT', price: 200 })
    await rig.tick(251)
    expect(await rig.status(market)).toBe('open')
    await rig.pass(at('09:14:59', '2026-03-13'))
    await rig.tick(252)
    expect(await rig.status(limit)).toBe('open')
    await rig.pass(at('09:15:00', '2026-03-13'))
    await rig.tick(253)
    expect(await rig.status(market)).toBe('complete 253.00')
    expect(await rig.status(limit)).toBe('complete 253.00')
    expect(await rig.status(low)).toBe('open')
    await rig.pass(at('23:00:00', '2026-03-13'))
    expect(await rig.status(low)).toBe('cancelled')
  })

  it('waits over a weekend and over a restart', async () => {
    await rig.pass(at('20:00:00', '2026-03-13'))
    rig.price(250)
    const orderId = await rig.accepted(amo)
    await rig.down(at('12:00:00', '2026-03-15'))
    await rig.tick(251)
    expect(await rig.status(orderId)).toBe('open')
    rig.price(252)
    await rig.pass(at('09:16:00', '2026-03-16'))
    expect(await rig.status(orderId)).toBe('complete 252.00')
  })

  it('opens an intraday position after the square-off of a day', async () => {
    await rig.pass(at('20:00:00'))
    rig.price(250)
    expect(await rig.place({ product: 'MIS' })).toMatchObject({ ok: false })
    const orderId = await rig.accepted({ product: 'MIS', instructions: { amo: true } })
    rig.price(251)
    await rig.pass(at('09:16:00', '2026-03-13'))
    expect(await rig.status(orderId)).toBe('complete 251.00')
  })

  it('may be changed to a price of its own session, whatever the band of today is', async () => {
    await rig.pass(at('20:00:00'))
    rig.price(250)
    rig.market.band = { lower: 225, upper: 275 }
    const orderId = await rig.accepted({ ...amo, priceType: 'LIMIT', price: 280 })
    expect(
      await rig.sandbox.modify(USER, orderId, { quantity: 5, price: 280, triggerPrice: 0 }),
    ).toMatchObject({ ok: true })
    rig.price(290)
    await rig.pass(at('09:15:00', '2026-03-13'))
    await rig.tick(290)
    expect(
      await rig.sandbox.modify(USER, orderId, { quantity: 5, price: 281, triggerPrice: 0 }),
    ).toMatchObject({
      ok: false,
      message: expect.stringContaining('price band'),
    })
  })

  it('of a market that never closes trades at once', async () => {
    rig.market.roundTheClock = true
    rig.price(250)
    expect(await rig.status(await rig.accepted(amo))).toBe('complete 250.00')
  })
})

describe('market protection', () => {
  it('lets a MARKET order rest at the edge of its band, and fill within it', async () => {
    rig.price('250/249.9/256')
    const orderId = await rig.accepted({ instructions: { marketProtection: 2 } })
    expect(await rig.status(orderId)).toBe('open')
    await rig.tick('250/249.9/255.05')
    expect(await rig.status(orderId)).toBe('open')
    await rig.tick('250/249.9/255')
    expect(await rig.status(orderId)).toBe('complete 255.00')
  })

  it('lets a triggered stop rest beyond its band, over a restart, too', async () => {
    rig.price(250)
    const orderId = await rig.accepted({
      action: 'SELL',
      priceType: 'SL-M',
      triggerPrice: 245,
      instructions: { marketProtection: 1 },
    })
    await rig.tick(242)
    expect(await rig.status(orderId)).toBe('open')
    await rig.reboot()
    expect(await rig.status(orderId)).toBe('open')
    await rig.tick(243)
    expect(await rig.status(orderId)).toBe('complete 243.00')
  })

  it('of the broker sets no limit here', async () => {
    rig.price('250/249.9/300')
    expect(await rig.status(await rig.accepted({ instructions: { marketProtection: -1 } }))).toBe(
      'complete 300.00',
    )
  })

  it('with IOC is cancelled instead of resting', async () => {
    rig.price('250/249.9/256')
    const orderId = await rig.accepted({ instructions: { marketProtection: 2, validity: 'IOC' } })
    expect(await rig.status(orderId)).toBe('cancelled')
  })
})

it('keeps the parts of an iceberg and the id of an algorithm', async () => {
  rig.price(250)
  const orderId = await rig.accepted({
    priceType: 'LIMIT',
    price: 240,
    instructions: { icebergLegs: 4, algoId: 'A1' },
  })
  await rig.reboot()
  const [order] = await rig.sandbox.ordersWith([orderId])
  expect(order).toMatchObject({
    icebergLegs: 4,
    algoId: 'A1',
    validity: null,
    expiresAt: null,
    opensAt: null,
  })
})
