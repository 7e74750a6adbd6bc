import { describe, expect, it, onTestFinished } from 'vitest'
import type { GttRequest } from '../../../../../src/core/orders/schema.js'
import { INFY, startRig } from '../rig.js'

const LAST = { tag: 'tag1', lastPrice: 1500 }

async function open() {
  const { client, close, fake } = await startRig()
  onTestFinished(close)
  if (!client.gtts) throw new Error('no GTTs')
  return { client, gtts: client.gtts, fake }
}

function gttOf(changes: Partial<GttRequest> = {}): GttRequest {
  return {
    strategy: 'test',
    type: 'SINGLE',
    symbol: 'INFY',
    exchange: 'NSE',
    action: 'SELL',
    quantity: 2,
    product: 'CNC',
    priceType: 'MARKET',
    legs: [{ kind: 'stop', triggerPrice: 1450, price: 0 }],
    expiresAt: undefined,
    ...changes,
  }
}

describe('a GTT', () => {
  it('is one entry on the side on which it waits, at the host of the API', async () => {
    const { fake, gtts } = await open()
    const { triggerId } = await gtts.place(gttOf(), LAST)
    expect(fake.requests).toEqual(['POST /v3/order/gtt/place'])
    expect(fake.gtts.rows(triggerId)).toMatchObject([
      {
        ...{ type: 'SINGLE', instrument_token: INFY, product: 'D', quantity: 2 },
        rules: [
          {
            ...{ strategy: 'ENTRY', trigger_type: 'BELOW', trigger_price: 1450, transaction_type: 'SELL' },
            market_protection: 1,
          },
        ],
      },
    ])
    await gtts.modify(triggerId, gttOf({ legs: [{ kind: 'target', triggerPrice: 1550, price: 0 }] }), LAST)
    expect(fake.gtts.rows(triggerId)[0]?.rules[0]).toMatchObject({
      trigger_type: 'ABOVE',
      trigger_price: 1550,
      market_protection: 1,
    })
  })

  it.each([
    [
      'two exits',
      {
        type: 'OCO',
        legs: [
          { kind: 'stop', triggerPrice: 1450, price: 0 },
          { kind: 'target', triggerPrice: 1550, price: 0 },
        ],
      },
      'OCO',
    ],
    [
      'a limit price',
      { priceType: 'LIMIT', legs: [{ kind: 'stop', triggerPrice: 1450, price: 1440 }] },
      'limit price',
    ],
    ['an end of its own', { expiresAt: '2026-12-31' }, 'expires_at'],
  ] as const)('with %s is refused and never sent', async (_name, changes, words) => {
    const { fake, gtts } = await open()
    await expect(gtts.place(gttOf(changes), LAST)).rejects.toMatchObject({
      kind: 'unsupported',
      sent: 'never',
      message: expect.stringContaining(words),
    })
    expect(fake.requests).toEqual([])
  })

  it('on the wrong side of the last price is refused and never sent', async () => {
    const { gtts } = await open()
    const refused = gtts.place(gttOf(), { ...LAST, lastPrice: 1440 })
    await expect(refused).rejects.toMatchObject({ kind: 'validation', sent: 'never' })
  })

  it('that fired names its order', async () => {
    const { client, fake, gtts } = await open()
    const { triggerId } = await gtts.place(gttOf(), LAST)
    fake.setPrice(INFY, 1449)
    const fired = await gtts.gtt?.(triggerId)
    expect(fired).toMatchObject({
      status: 'triggered',
      legs: [{ action: 'SELL', quantity: 2, price: 0, product: 'CNC' }],
    })
    expect(await client.orders.order?.(fired?.triggeredOrderId ?? '')).toMatchObject({
      status: 'complete',
      quantity: 2,
    })
  })

  it.each([
    ['stop', 'SELL', 1450, 1440],
    ['target', 'BUY', 1550, 1560],
  ] as const)(
    'that is a %s to %s trades when the market jumps over its trigger',
    async (kind, action, triggerPrice, ltp) => {
      const { client, fake, gtts } = await open()
      await gtts.place(gttOf({ action, legs: [{ kind, triggerPrice, price: 0 }] }), LAST)
      fake.setPrice(INFY, ltp)
      expect(await client.orders.list()).toMatchObject([{ action, status: 'complete', averagePrice: ltp }])
    },
  )

  it.each([
    ['FAILED', 'rejected', 'no funds'],
    ['EXPIRED', 'expired', undefined],
    ['CANCELLED', 'cancelled', undefined],
    ['SOMETHING', 'active', undefined],
  ])('with the state %s is %s', async (word, status, rejectionReason) => {
    const { fake, gtts } = await open()
    const { triggerId } = await gtts.place(gttOf(), LAST)
    Object.assign(fake.gtts.rows(triggerId)[0]?.rules[0] ?? {}, { status: word, message: 'no funds' })
    const row = await gtts.gtt?.(triggerId)
    expect([row?.status, row?.rejectionReason]).toEqual([status, rejectionReason])
  })

  it('that cannot be read hides no other, and does not count as absent', async () => {
    const { fake, gtts } = await open()
    const strange = await gtts.place(gttOf(), LAST)
    const { triggerId } = await gtts.place(gttOf({ quantity: 3 }), LAST)
    Object.assign(fake.gtts.rows(strange.triggerId)[0] ?? {}, { rules: [] })
    expect((await gtts.list()).map((gtt) => gtt.triggerId)).toEqual([triggerId])
    await expect(gtts.gtt?.(strange.triggerId)).rejects.toMatchObject({ kind: 'protocol' })
  })

  it('has its times in milliseconds', async () => {
    const { fake, gtts } = await open()
    const { triggerId } = await gtts.place(gttOf(), LAST)
    const micros = fake.gtts.rows(triggerId)[0]?.created_at ?? 0
    expect((await gtts.list())[0]?.createdAt).toBe(micros / 1000)
  })

  it('that is unknown is undefined', async () => {
    const { gtts } = await open()
    expect(await gtts.gtt?.('GTT-C1')).toBeUndefined()
  })

  it('that Upstox does not know in other words is undefined as well', async () => {
    const { fake, gtts } = await open()
    fake.script.set({ route: 'gtts', actions: ['reject:UDAPI100500:Unknown GTT', '5xx_before'] })
    expect(await gtts.gtt?.('GTT-C1')).toBeUndefined()
    await expect(gtts.gtt?.('GTT-C1')).rejects.toMatchObject({ kind: 'unavailable' })
  })
})
