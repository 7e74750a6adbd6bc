import { describe, expect, test } from 'vitest'
import { SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'

const CONTEXT = { userId: USER, source: 'api' as const }

/** A broker that has taken the newest order, and fills it after so many readings of its account. */
async function fillingAfter(): Promise<{ desk: TestDesk; hold(readings: number): void }> {
  const desk = await TestDesk.open()
  const { orders, portfolio } = desk.service.brokers.client()
  const [list, positions] = [orders.list, portfolio.positions]
  let left = 0
  const isHeld = () => left-- > 0
  orders.list = async () => {
    const held = isHeld()
    const rows = await list()
    const newest = rows.reduce((last, row) => (row.orderId > last ? row.orderId : last), '')
    return rows.map((row) =>
      held && row.orderId === newest
        ? { ...row, status: 'open' as const, filledQuantity: 0, pendingQuantity: row.quantity }
        : row,
    )
  }
  portfolio.positions = async () => {
    const held = isHeld()
    const [rows, [newest]] = [
      await positions(),
      (await list()).sort((a, b) => (a.orderId < b.orderId ? 1 : -1)),
    ]
    if (!held || !newest) return rows
    const effect = newest.action === 'BUY' ? newest.quantity : -newest.quantity
    return rows.map((row) => ({ ...row, quantity: row.quantity - effect }))
  }
  return {
    desk,
    hold: (readings) => {
      left = readings
    },
  }
}

describe.each([0, 1, 2, 3, 4, 5])('a fill after %d readings of the account', (readings) => {
  const { underlying_ltp: _, ...line } = payloadOf()
  const target = { ...line, position_size: 40 }

  test('a smart order trades what is missing once', async () => {
    const { desk, hold } = await fillingAfter()
    const { multi } = desk.orders
    await multi.submit(SMART_ORDER, target, CONTEXT)
    hold(readings)
    const { body } = await multi.submit(SMART_ORDER, target, CONTEXT)
    expect(body.message).toBe('Positions Already Matched. No Action needed.')
    expect((await desk.ledger()).map(({ quantity }) => quantity)).toEqual([40])
  })

  test('a close closes what is held once', async () => {
    const { desk, hold } = await fillingAfter()
    const { changes, multi } = desk.orders
    await multi.submit(SMART_ORDER, target, CONTEXT)
    await changes.close({ strategy: 'example' }, CONTEXT)
    hold(readings)
    await changes.close({ strategy: 'example' }, CONTEXT)
    expect((await desk.ledger()).map(({ quantity }) => quantity)).toEqual([40, 40])
  })
})

test('an account that never stands still is not traded upon', async () => {
  const { desk } = await fillingAfter()
  const { orders } = desk.service.brokers.client()
  const { list } = orders
  const { changes, multi } = desk.orders
  const { underlying_ltp: _, ...line } = payloadOf()
  await multi.submit(SMART_ORDER, { ...line, position_size: 40 }, CONTEXT)
  let filled = 0
  orders.list = async () => (await list()).map((row) => ({ ...row, filledQuantity: filled++ }))
  const answer = await changes.close({ strategy: 'example' }, CONTEXT)
  expect([answer.status, answer.code]).toEqual([503, 'unavailable'])
  expect(await desk.ledger()).toHaveLength(1)
})
