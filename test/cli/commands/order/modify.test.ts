import { expect, test, vi } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'

/* What `order modify` sends again of the order as it is. */

test('a second change by our reference keeps the quantity of the first', async () => {
  const desk = await CliDesk.open()
  await desk.svc('analyze off --confirm LIVE')
  const placed = await desk.svc('order place SBIN NSE BUY 100 --price 700 --json')
  const { orderid } = JSON.parse(placed.stdout)
  const [{ order_ref }] = JSON.parse((await desk.svc('order journal --json')).stdout)
  expect((await desk.svc(`order modify ${order_ref} --quantity 20`)).exit).toBe(0)
  expect((await desk.svc(`order modify ${order_ref} --price 701`)).exit).toBe(0)
  const orders = JSON.parse((await desk.svc('order list --json')).stdout)
  expect(orders).toMatchObject([{ orderid, quantity: 20, price: 701 }])
})

test.each([
  ['--price 701', 100, 40],
  ['--quantity 30', 30, 30],
  ['--quantity 500', 500, 50],
  ['--disclosed 25', 100, 25],
  ['--disclosed 0', 100, 0],
])('%s leaves the disclosed quantity alone that it does not name', async (changes, quantity, disclosed) => {
  const desk = await CliDesk.open()
  await desk.svc('analyze off --confirm LIVE')
  const placed = await desk.svc('order place SBIN NSE BUY 100 --price 700 --json')
  const { orderid } = JSON.parse(placed.stdout)
  const { orders } = desk.service.brokers.client()
  const list = orders.list.bind(orders)
  orders.list = async (...rank) => (await list(...rank)).map((row) => ({ ...row, disclosedQuantity: 40 }))
  const modify = vi.spyOn(orders, 'modify')
  const { exit, stderr } = await desk.svc(`order modify ${orderid} ${changes}`)
  expect(exit).toBe(0)
  const seen = `Now the market sees ${disclosed} of ${quantity}.`
  expect(stderr.includes(seen)).toBe(disclosed > 0)
  expect(modify.mock.lastCall?.[1]).toMatchObject({ quantity, disclosedQuantity: disclosed })
})

test('an order that the book of the broker does not show is not changed', async () => {
  const desk = await CliDesk.open()
  await desk.svc('analyze off --confirm LIVE')
  await desk.svc('order place SBIN NSE BUY 100 --price 700')
  const [{ order_ref }] = JSON.parse((await desk.svc('order journal --json')).stdout)
  desk.service.brokers.client().orders.list = async () => []
  const { exit, stderr } = await desk.svc(`order modify ${order_ref} --price 701 --type LIMIT`)
  expect([exit, stderr]).toEqual([4, expect.stringContaining('its terms are not known')])
})
