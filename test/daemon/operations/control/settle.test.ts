import { expect, test } from 'vitest'
import { PAIR, RunRig } from '../../../core/strategies/runs/run-rig.js'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'

/* The word of a person about an order in doubt: a wrong one is refused by its field, and changes nothing. */

const ONE = { ...PAIR, legs: [{ segment: 'cash', position: 'B', lots: 10 }] }
const WORD = { outcome: 'filled', reason: 'in the contract note', force: true }

/** A live run whose only order is in doubt while the broker does not answer. */
async function inDoubt() {
  const before = await RunRig.open('live')
  const id = await before.create(ONE, true)
  await before.settled(before.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await before.settled(before.runs.settled())
  await before.settled(before.rig.desk.close())
  const http = await HttpDesk.open({ home: before.rig.desk.home, clock: before.clock })
  const { brokers, databases } = http.desk.service
  const [order] = await databases.svc.queryRaw('select order_ref from strategy_orders')
  const ref = String(order?.order_ref)
  brokers.plugins.faults().set([{ kind: 'fail', httpStatus: 500, message: 'away' }])
  await databases.svc.write((tx) =>
    tx.exec(`update order_journal set state = 'unknown' where order_ref = '${ref}'`),
  )
  const headers = bearer(await http.signIn())
  const row = () =>
    databases.svc.queryRaw(`select state, end_cause from order_journal where order_ref = '${ref}'`)
  const fills = () => databases.svc.queryRaw('select quantity, price from order_fills order by quantity')
  const settle = (body: unknown) =>
    http.desk.settled(http.request('POST', `/orders/journal/${ref}/settle`, { body, headers }))
  return { settle, row, fills }
}

test('a fill with a wrong price or quantity is refused, and changes nothing', async () => {
  const { fills, row, settle } = await inDoubt()
  const before = [await row(), await fills()]
  const prices = [
    -1,
    0,
    -0,
    1e15,
    1e308,
    '1e999',
    'NaN',
    'Infinity',
    'x',
    '',
    ' ',
    null,
    true,
    [1],
    {},
    '１２',
    '1,5',
  ]
  const quantities = [-1, 0, 1.5, 11, 1e15, 1e308, 'NaN', 'x', '', null, true, [1], {}, '９', '0x5']
  for (const price of prices) {
    const { body, status } = await settle({ ...WORD, price })
    expect([price, status, JSON.stringify(body)]).toEqual([price, 400, expect.stringContaining('price')])
  }
  for (const quantity of quantities) {
    const { body, status } = await settle({ ...WORD, price: 800, quantity })
    expect([quantity, status, JSON.stringify(body)]).toEqual([
      quantity,
      400,
      expect.stringContaining('quantity'),
    ])
  }
  const without = await settle(WORD)
  expect([without.status, without.text]).toEqual([400, expect.stringContaining('price')])
  for (const outcome of ['accepted', 'rejected']) {
    const { status, text } = await settle({ ...WORD, outcome, orderid: '1', price: 800 })
    expect([outcome, status, text]).toEqual([
      outcome,
      400,
      expect.stringContaining('Only an order that filled'),
    ])
  }
  expect([await row(), await fills()]).toEqual(before)
  expect(await row()).toEqual([{ state: 'unknown', end_cause: null }])
})

test('a fill is settled once', async () => {
  const { row, settle } = await inDoubt()
  const done = await settle({ ...WORD, price: '801.5', quantity: '10' })
  expect(done.status, done.text).toBe(200)
  expect(await row()).toMatchObject([{ state: 'filled' }])
  const again = await settle({ ...WORD, price: 900 })
  expect([again.status, again.text]).toEqual([
    409,
    expect.stringContaining('is filled; only an order in doubt'),
  ])
})
