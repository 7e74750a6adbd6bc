import { describe, expect, test } from 'vitest'
import { modifyGttPayload, placeGttPayload } from '../../../../src/core/orders/index.js'
import { parseWith } from '../../../../src/core/validation/index.js'
import { type TestDesk, USER } from '../../../support/desk/desk.js'
import { FakeDesk } from '../../../support/desk/fake-desk.js'

const CONTEXT = { userId: USER, source: 'api' as const }

/** A stop below the price, in the kind that a broker takes. */
function stopAt(desk: TestDesk, changes: Record<string, unknown> = {}) {
  const isLimit = desk.service.brokers.manifest().gtt?.limit === true
  return {
    strategy: 't',
    trigger_type: 'SINGLE',
    exchange: 'NSE',
    symbol: 'INFY',
    action: 'SELL',
    product: 'CNC',
    quantity: 5,
    pricetype: isLimit ? 'LIMIT' : 'MARKET',
    price: isLimit ? 1445 : 0,
    triggerprice_sl: 1450,
    ...changes,
  }
}

async function placedAt(desk: TestDesk): Promise<string> {
  const payload = parseWith(placeGttPayload, stopAt(desk))
  const { body } = await desk.settled(desk.orders.gtts.place(payload, CONTEXT))
  return String(body.trigger_id)
}

function change(desk: TestDesk, trigger_id: string, changes: Record<string, unknown>) {
  const payload = parseWith(modifyGttPayload, { ...stopAt(desk, changes), trigger_id })
  return desk.settled(desk.orders.gtts.modify(payload, CONTEXT))
}

describe.each(['zerodha', 'upstox', 'angel', 'dhan'] as const)('at %s', (id) => {
  test.each([
    ['action', { action: 'BUY' }, 'SELL -> BUY'],
    ['symbol', { symbol: 'SBIN', triggerprice_sl: 790, price: id === 'upstox' ? 0 : 788 }, 'INFY -> SBIN'],
    ['product', { product: 'NRML' }, 'CNC -> NRML'],
  ] as const)(
    'a change of a GTT that names another %s is refused with the rule',
    async (field, changes, what) => {
      const at = await FakeDesk.start(id)
      const desk = await at.desk()
      const triggerId = await placedAt(desk)
      const before = await desk.settled(desk.orders.gtts.book(USER))
      const rule = `cannot be changed on an existing GTT (${what}). Cancel and re-place.`
      const refused = {
        code: 'validation',
        body: { message: `${field} ${rule}`, errors: { [field]: [rule] } },
      }
      // Angel takes a GTT in no other product.
      const isUntaken = id === 'angel' && field === 'product'
      const untaken = { code: 'unsupported', body: { message: 'A GTT at Angel One takes no product NRML.' } }
      expect(await change(desk, triggerId, changes)).toMatchObject(isUntaken ? untaken : refused)
      expect(await desk.settled(desk.orders.gtts.book(USER))).toEqual(before)
      expect(await change(desk, triggerId, { quantity: 6 })).toMatchObject({ code: 'ok' })
    },
  )
})

test.each(['zerodha', 'upstox', 'dhan'] as const)('at %s a GTT that has fired is not changed', async (id) => {
  const at = await FakeDesk.start(id)
  const desk = await at.desk()
  const triggerId = await placedAt(desk)
  at.fake.setPrice(1449)
  await desk.settled(desk.clock.sleep(3_000))
  expect(await change(desk, triggerId, { quantity: 6 })).toMatchObject({
    code: 'conflict',
    body: { message: 'The GTT is triggered: nothing was changed.' },
  })
})

test('at Angel One a GTT in NRML is refused before anything is stored or waits', async () => {
  const at = await FakeDesk.start('angel')
  const desk = await at.desk()
  const refused = { code: 'unsupported', body: { message: 'A GTT at Angel One takes no product NRML.' } }
  const payload = parseWith(placeGttPayload, stopAt(desk, { product: 'NRML' }))
  for (const mode of ['auto', 'semi_auto'] as const) {
    await desk.service.identity.apiKeys.setOrderMode(USER, mode)
    expect(await desk.settled(desk.orders.gtts.place(payload, CONTEXT))).toMatchObject(refused)
  }
  expect(await desk.service.journal.list(USER, 10)).toEqual([])
  expect((await desk.service.approvals.list(USER, { status: 'all' })).orders).toEqual([])
})
