import { describe, expect, test, vi } from 'vitest'
import { type ModifyOrderPayload, openRequest } from '../../../../src/core/orders/index.js'
import { toOrderRequest } from '../../../../src/core/orders/schema.js'
import { parseWith } from '../../../../src/core/validation/index.js'
import { answerTo } from '../../../../src/daemon/orders/answer.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'
import { KiteDesk } from '../../../support/desk/kite-desk.js'

/* A broker changes the order of the id, and uses the instrument of the request only to convert the quantity. */

const CONTEXT = { userId: USER, source: 'api' as const }
const RESTING = { pricetype: 'LIMIT', price: 700 } as const

function modification(orderid: string, fields: Partial<ModifyOrderPayload> = {}): ModifyOrderPayload {
  const { underlying_ltp: _, ...line } = payloadOf({ ...RESTING, price: 701 })
  return { ...line, orderid, ...fields }
}

const OTHERS = [
  ['symbol', { symbol: 'INFY' }, 'SBIN -> INFY'],
  ['exchange', { exchange: 'BSE' }, 'NSE -> BSE'],
  ['action', { action: 'SELL' }, 'BUY -> SELL'],
  ['product', { product: 'CNC' }, 'MIS -> CNC'],
] as const

/** Returns the members of a refusal that names the field, and its values of now and then. */
function refusedFor(field: string, what: string) {
  const rule = `cannot be changed on an existing order (${what}). Cancel and re-place.`
  return {
    status: 400,
    code: 'validation',
    body: { message: `${field} ${rule}`, errors: { [field]: [rule] } },
  }
}

describe('a live change that names another symbol, exchange, side or product than its order', () => {
  test.each(['the number', 'our reference'])(
    'is refused and not sent, without a question to the broker, for an order from here named by %s',
    async (name) => {
      const desk = await TestDesk.open()
      const { body, orderRef = '' } = await desk.place(RESTING)
      const orderid = name === 'the number' ? String(body.orderid) : orderRef
      const { changes } = desk.orders
      const { orders } = desk.service.brokers.client()
      const modify = vi.spyOn(orders, 'modify')
      for (const [field, fields, what] of OTHERS) {
        expect(await changes.modify(modification(orderid, fields), CONTEXT)).toMatchObject(
          refusedFor(field, what),
        )
      }
      expect(modify).not.toHaveBeenCalled()
      const list = vi.spyOn(orders, 'list')
      expect(await changes.modify(modification(orderid), CONTEXT)).toMatchObject({ code: 'ok' })
      expect(list).not.toHaveBeenCalled()
    },
  )

  test.each(['api', 'flow'] as const)('does not pass the ceiling of the value by it (%s)', async (source) => {
    const desk = await TestDesk.open()
    const client = desk.service.brokers.client()
    const [quote] = await client.market.quotes([{ symbol: 'INFY', exchange: 'NSE' }])
    const ltp = quote && 'ltp' in quote ? quote.ltp : 0
    const { orderid } = (await desk.place({ ...RESTING, symbol: 'INFY', price: Math.round(ltp * 0.95) })).body
    await desk.service.risk.change({ max_order_value: 100_000 }, USER)
    const cheap = { symbol: 'SBIN', pricetype: 'MARKET', price: 0, quantity: 90 } as const
    const change = modification(String(orderid), cheap)
    const { run } = openRequest('modifyorder', (schema) => parseWith(schema, change))
    expect(answerTo(await run(desk.service.orders, { userId: USER, source }))).toMatchObject(
      refusedFor('symbol', 'INFY -> SBIN'),
    )
    const [order] = await client.orders.list()
    expect(order).toMatchObject({ orderId: orderid, symbol: 'INFY', quantity: 10, status: 'open' })
  })

  test('is refused by the book for an order that was placed elsewhere', async () => {
    const desk = await TestDesk.open()
    const { orders } = desk.service.brokers.client()
    const { orderId } = await orders.place(toOrderRequest(payloadOf(RESTING)), 'elsewhere')
    const { changes } = desk.orders
    for (const [field, fields, what] of OTHERS) {
      expect(await changes.modify(modification(orderId, fields), CONTEXT)).toMatchObject(
        refusedFor(field, what),
      )
    }
    expect(await changes.modify(modification(orderId), CONTEXT)).toMatchObject({ code: 'ok' })
  })

  test('is not sent while the order, placed elsewhere, cannot be read', async () => {
    const desk = await TestDesk.open()
    const { orders } = desk.service.brokers.client()
    const { orderId } = await orders.place(toOrderRequest(payloadOf(RESTING)), 'elsewhere')
    const modify = vi.spyOn(orders, 'modify')
    desk.service.brokers.plugins
      .faults()
      .set([{ on: ['orders'], kind: 'fail', httpStatus: 503, message: 'down' }])
    expect(await desk.orders.changes.modify(modification(orderId), CONTEXT)).toMatchObject({ status: 503 })
    expect(modify).not.toHaveBeenCalled()
  })

  test('may name the product that the broker shows in place of that of the placement', async () => {
    const desk = await TestDesk.open()
    const { body } = await desk.place(RESTING)
    const { orders } = desk.service.brokers.client()
    const rows = await orders.list()
    vi.spyOn(orders, 'list').mockResolvedValue(rows.map((row) => ({ ...row, product: 'CNC' })))
    const { changes } = desk.orders
    const change = (product: 'CNC' | 'NRML') =>
      changes.modify(modification(String(body.orderid), { product }), CONTEXT)
    expect(await change('NRML')).toMatchObject(refusedFor('product', 'CNC -> NRML'))
    expect(await change('CNC')).toMatchObject({ code: 'ok' })
  })
})

test('Kite gets no lots for units: a change of an MCX order that names a share is refused', async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  const terms = { product: 'NRML', pricetype: 'LIMIT', price: 70_000, quantity: 10 } as const
  const { body } = await desk.settled(desk.place({ ...terms, symbol: 'GOLDM31JAN30FUT', exchange: 'MCX' }))
  const change = modification(String(body.orderid), { ...terms, symbol: 'INFY', exchange: 'NSE' })
  expect(await desk.settled(desk.orders.changes.modify(change, CONTEXT))).toMatchObject(
    refusedFor('symbol', 'GOLDM31JAN30FUT -> INFY'),
  )
  expect(kite.fake.requests.filter((request) => request.startsWith('PUT '))).toEqual([])
})

describe('a change of a simulated order', () => {
  async function simulated() {
    const desk = await TestDesk.open()
    await desk.service.sandbox.start()
    await desk.service.settings.setAnalyzeMode(true)
    const orderid = String((await desk.place(RESTING)).body.orderid)
    const change = (fields: Partial<ModifyOrderPayload>) =>
      desk.orders.changes.modify(modification(orderid, fields), CONTEXT)
    const stored = () => desk.service.sandbox.books.order(USER, orderid)
    return { change, risk: desk.service.risk, stored }
  }

  test('keeps symbol, exchange, side and product, as in the public system', async () => {
    const { change, stored } = await simulated()
    for (const [, fields] of OTHERS) {
      expect(await change({ ...fields, quantity: 7 })).toMatchObject({ code: 'ok' })
    }
    const own = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', product: 'MIS' }
    expect(await stored()).toMatchObject({ ...own, quantity: 7, price: 701 })
  })

  test('meets the gate with those, not with the ones of the request', async () => {
    const { change, risk, stored } = await simulated()
    await risk.change({ allowed_products: ['CNC'] }, USER)
    expect(await change({ product: 'CNC' })).toMatchObject({ code: 'risk_refused' })
    expect(await stored()).toMatchObject({ price: 700 })
  })
})
