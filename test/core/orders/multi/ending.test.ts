import { expect, test } from 'vitest'
import type { BrokerOrder } from '../../../../src/core/brokers/broker.js'
import type { SmartOrderPayload } from '../../../../src/core/orders/index.js'
import { SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'

/*
 * An order that is being cancelled, or an IOC order, is open in the book for a moment. Counted as waiting it would swallow an
 * exit and end unfilled; not counted, both could fill.
 */

const CONTEXT = { userId: USER, source: 'api' as const }
const TARGET = { pricetype: 'LIMIT', price: 900 } as const
const STOP = { pricetype: 'SL-M', price: 0, trigger_price: 650 } as const

const { underlying_ltp: _, ...LINE } = payloadOf()
const exitWith = (terms: Partial<SmartOrderPayload>): SmartOrderPayload => ({
  ...LINE,
  action: 'SELL',
  quantity: 0,
  position_size: 0,
  ...terms,
})

/** A desk with a position of 100 and a waiting exit. */
async function withExit(terms: Partial<SmartOrderPayload>) {
  const desk = await TestDesk.open()
  const { multi } = desk.orders
  const submit = (payload: SmartOrderPayload) => desk.settled(multi.submit(SMART_ORDER, payload, CONTEXT))
  await submit({ ...LINE, position_size: 100 })
  const orderId = String((await submit(exitWith(terms))).body.orderid)
  const { orders } = desk.service.brokers.client()
  const { list } = orders
  /** Shows the exit as one that ends, so many times; then it is cancelled. */
  const shown = (ending: BrokerOrder['ending'], times: number, fields: Partial<BrokerOrder> = {}) => {
    let left = times
    orders.list = async (...rank) => {
      left -= 1
      const rows = await list(...rank)
      return rows.map((row): BrokerOrder => {
        if (row.orderId !== orderId) return row
        const isOver = left < 0
        if (isOver) return { ...row, status: 'cancelled', pendingQuantity: 0 }
        return { ...row, ...fields, status: 'open', ...(ending && { ending }) }
      })
    }
  }
  const sent = async () => (await desk.ledger()).map(({ quantity }) => quantity)
  return { desk, submit, shown, sent }
}

test.each(['cancel', 'IOC'] as const)(
  'an exit beside its like that may end (%s) is refused, not swallowed',
  async (ending) => {
    const { submit, shown, sent } = await withExit(TARGET)
    shown(ending, 1_000)
    expect(await submit(exitWith(TARGET))).toMatchObject({
      code: 'unavailable',
      body: { message: expect.stringMatching(/is being cancelled, or is IOC. Nothing was sent; try again/) },
    })
    expect(await sent()).toEqual([100, 100])
  },
)

test.each(['cancel', 'IOC'] as const)(
  'an exit waits until its like has ended (%s), and is sent',
  async (ending) => {
    const { submit, shown, sent } = await withExit(TARGET)
    shown(ending, 4)
    expect((await submit(exitWith(TARGET))).body.orderid).toEqual(expect.any(String))
    expect(await sent()).toEqual([100, 100, 100])
  },
)

test('an exit at the market does not count a market order that is being cancelled', async () => {
  const { submit, shown, sent } = await withExit(TARGET)
  shown('cancel', 4, { priceType: 'MARKET' })
  expect((await submit(exitWith({}))).body.orderid).toEqual(expect.any(String))
  expect(await sent()).toEqual([100, 100, 100])
})

test('an IOC order at the market counts: it fills', async () => {
  const { submit, shown, sent } = await withExit(TARGET)
  shown('IOC', 1_000, { priceType: 'MARKET' })
  expect((await submit(exitWith({}))).body.orderid).toBeUndefined()
  expect(await sent()).toEqual([100, 100])
})

test.each<[string, Partial<SmartOrderPayload>]>([
  ['at the market', {}],
  ['at another price', { pricetype: 'LIMIT', price: 890 }],
])('an exit %s waits for no stop that is being cancelled', async (_name, terms) => {
  const { desk, submit, shown, sent } = await withExit(STOP)
  shown('cancel', 1_000)
  const started = desk.clock.monotonic()
  expect((await submit(exitWith(terms))).body.orderid).toEqual(expect.any(String))
  expect(desk.clock.monotonic() - started).toBeLessThan(500)
  expect(await sent()).toEqual([100, 100, 100])
})
