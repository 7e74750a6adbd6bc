import { describe, expect, test } from 'vitest'
import { ApiRig, type Mode, ORDER } from '../api-rig.js'

/* Dry runs of requests that become several orders, or another one than they name: the plan, and nothing else. */

const DRY = { 'x-dry-run': '1' }
const LIMIT = { pricetype: 'LIMIT', price: 900, product: 'MIS' }

async function expectNothingDone(rig: ApiRig): Promise<void> {
  expect([await rig.ledger(), await rig.journal(), await rig.topics()]).toEqual([[], [], []])
  expect((await rig.post('orderbook')).body).toMatchObject({ data: { orders: [] } })
}

test.each<Mode>(['live', 'analyze', 'semi_auto'])('in the mode %s a split shows its parts', async (mode) => {
  const rig = await ApiRig.open(mode)
  await rig.topics()
  const { body, status } = await rig.post(
    'splitorder',
    { ...ORDER, ...LIMIT, quantity: 25, splitsize: 10 },
    DRY,
  )
  const part = {
    symbol: 'SBIN',
    exchange: 'NSE',
    product: 'MIS',
    action: 'BUY',
    pricetype: 'LIMIT',
    price: 900,
    ok: true,
  }
  expect([status, body]).toMatchObject([
    200,
    {
      ...{ status: 'success', dry_run: true, mode },
      orders: [10, 10, 5].map((quantity, index) => ({ ...part, order_num: index + 1, quantity })),
    },
  ])
  await expectNothingDone(rig)
})

test.each<Mode>(['live', 'analyze'])(
  'in the mode %s a smart order shows what brings the position to its target',
  async (mode) => {
    const rig = await ApiRig.open(mode)
    expect((await rig.post('placeorder', { ...ORDER, product: 'MIS' })).status).toBe(200)
    const smart = { ...ORDER, product: 'MIS', quantity: 0 }
    const down = await rig.post('placesmartorder', { ...smart, position_size: 4 }, DRY)
    expect(down.body).toMatchObject({
      dry_run: true,
      mode,
      orders: [{ action: 'SELL', quantity: 6, pricetype: 'MARKET', ok: true }],
    })
    const none = await rig.post('placesmartorder', { ...smart, position_size: 10 }, DRY)
    expect(none).toMatchObject({
      status: 200,
      body: { message: 'No OpenPosition Found. Not placing Exit order.' },
    })
    expect((await rig.post('orderbook')).body).toMatchObject({ data: { orders: [{ quantity: 10 }] } })
  },
)

test('a part that would be refused has the rule, and a symbol that is not listed is 404', async () => {
  const rig = await ApiRig.open('live')
  await rig.desk.service.risk.change({ max_orders_per_day: 1 }, 'asha')
  const { body } = await rig.post('splitorder', { ...ORDER, quantity: 20, splitsize: 10 }, DRY)
  expect(body.orders).toMatchObject([{ ok: true }, { ok: false, rule: 'max_orders_per_day' }])
  for (const path of ['splitorder', 'placesmartorder']) {
    const more = path === 'splitorder' ? { splitsize: 10 } : { position_size: 10 }
    const reply = await rig.post(path, { ...ORDER, ...more, symbol: 'NOPE' }, DRY)
    expect(reply).toMatchObject({ status: 404, code: 'not_found' })
  }
  await expectNothingDone(rig)
})

const OPTION = { offset: 'ATM', option_type: 'CE', action: 'BUY', quantity: 65, product: 'NRML' }
const UNDERLYING = { strategy: 't', underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: '24NOV26' }

describe.each<Mode>(['live', 'analyze', 'semi_auto'])('in the mode %s', (mode) => {
  test('an option order shows the contract that it means, and each part of a split', async () => {
    const rig = await ApiRig.open(mode)
    await rig.topics()
    for (const [more, quantities] of [
      [{}, [65]],
      [{ quantity: 195, splitsize: 130 }, [130, 65]],
    ] as const) {
      const { body, status } = await rig.post('optionsorder', { ...UNDERLYING, ...OPTION, ...more }, DRY)
      const symbol = expect.stringMatching(/^NIFTY24NOV26\d+CE$/)
      const orders = quantities.map((quantity) => ({
        symbol,
        exchange: 'NFO',
        action: 'BUY',
        quantity,
        ok: true,
      }))
      expect([status, body]).toMatchObject([200, { status: 'success', dry_run: true, mode, orders }])
    }
    await expectNothingDone(rig)
  })

  test('an option strategy shows each leg, and why one has no contract', async () => {
    const rig = await ApiRig.open(mode)
    await rig.topics()
    await rig.desk.service.risk.change({ max_orders_per_day: 1 }, 'asha')
    const legs = [
      { ...OPTION, action: 'SELL' },
      { ...OPTION, offset: 'OTM1' },
      { ...OPTION, expiry_date: '25NOV26' },
    ]
    const { body, status } = await rig.post('optionsmultiorder', { ...UNDERLYING, legs }, DRY)
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ status: 'success', dry_run: true, mode },
        orders: [
          // The leg that is bought is sent first.
          { leg: 1, offset: 'ATM', action: 'SELL', quantity: 65, ok: false, rule: 'max_orders_per_day' },
          { leg: 2, offset: 'OTM1', action: 'BUY', quantity: 65, ok: true },
          { leg: 3, ok: false, message: expect.any(String) },
        ],
      },
    ])
    await expectNothingDone(rig)
  })
})

test('a request that places no order has no dry run: it would be executed', async () => {
  const rig = await ApiRig.open('live')
  const { body, status } = await rig.post('cancelallorder', { strategy: 't' }, DRY)
  expect([status, body.message]).toEqual([400, expect.stringContaining('X-Dry-Run')])
})
