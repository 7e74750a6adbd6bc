import { expect, test } from 'vitest'
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
