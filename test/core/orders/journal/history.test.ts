import { expect, test, vi } from 'vitest'
import { OrderHistory } from '../../../../src/core/orders/journal/history-store.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'

const BROKER = 'simulated'
const DAY_MS = 86_400_000
const GTT = 'S000000000000000GTT1'

/** An order, then a GTT that fires three days after it was placed, then another order; a GTT that has not fired. */
async function deskWithFiredGtt() {
  const desk = await TestDesk.open()
  const { clock, service } = desk
  const { databases, journal } = service
  const history = new OrderHistory(databases.svc, journal)
  const before = await desk.place()
  const placed = { userId: USER, source: 'api' as const, mode: 'live' as const, broker: BROKER }
  const entry = { ...placed, operation: 'placegttorder', state: 'claimed' as const, payload: payloadOf() }
  await journal.open([{ ...entry, orderRef: GTT }])
  await journal.open([{ ...entry, orderRef: 'S000000000000000GTT2' }])
  await journal.move(GTT, 'accepted', { triggerId: 'G1' })
  await journal.move('S000000000000000GTT2', 'accepted', { triggerId: 'G2' })
  await databases.svc.write((tx) =>
    tx.exec(`update order_journal set created_at = created_at - ${3 * DAY_MS} where trigger_id = 'G1'`),
  )
  await clock.advance(1000)
  const firedAt = clock.now()
  await journal.move(GTT, 'triggered', { orderId: 'B77' })
  await clock.advance(1000)
  const after = await desk.place()
  return { databases, history, journal, firedAt, refs: [after.orderRef, GTT, before.orderRef] }
}

/** Returns the reference in the position of an order in the list. */
const refOf = ({ key }: { key: string }) => key.split('-')[1]

test('the order of a fired GTT is in the history from the time at which it was sent', async () => {
  const { firedAt, history, journal, refs } = await deskWithFiredGtt()
  const all = await history.orders(USER, { limit: 10 })
  expect(all.map(refOf)).toEqual(refs)
  expect(all[1]).toMatchObject({ orderId: 'B77', at: firedAt, status: 'open', filledQuantity: 0 })
  expect((await history.orders(USER, { limit: 9, since: firedAt, until: firedAt + 1 })).length).toBe(1)

  await journal.move(GTT, 'filled', { filled: { quantity: 10, price: 700.5 } })
  const [, filled] = await history.orders(USER, { limit: 10, status: 'complete' })
  expect(filled).toMatchObject({ key: `${firedAt}-${GTT}`, filledQuantity: 10, averagePrice: 700.5 })
  const trades = await history.trades(USER, { limit: 10, since: firedAt })
  expect(trades.find(({ orderId }) => orderId === 'B77')).toMatchObject({ quantity: 10, averagePrice: 700.5 })
})

test('pages of one row show each order once, also around a fired GTT', async () => {
  const { history, refs } = await deskWithFiredGtt()
  const seen: string[] = []
  for (let before: string | undefined; ; before = seen.at(-1)) {
    const [row] = await history.orders(USER, { limit: 1, before })
    if (row === undefined) break
    seen.push(row.key)
  }
  expect(seen.map((key) => refOf({ key }))).toEqual(refs)
})

test('a cursor that names no row is refused: an empty page would look like the end', async () => {
  const { history } = await deskWithFiredGtt()
  await expect(history.orders(USER, { limit: 1, before: 'forged' })).rejects.toMatchObject({
    code: 'validation',
  })
  await expect(history.trades(USER, { limit: 1, before: 'forged' })).rejects.toMatchObject({
    code: 'validation',
  })
})

test('a page reads the newest rows only, however long the history is', async () => {
  const { databases, history } = await deskWithFiredGtt()
  const queries = vi.spyOn(databases.svc, 'queryRaw')
  await history.orders(USER, { limit: 1 })
  await history.trades(USER, { limit: 1 })
  const lists = queries.mock.calls.filter(([sql]) => sql.includes('limit ?'))
  queries.mockRestore()
  expect(lists.length).toBe(3)
  for (const [sql, params] of lists) {
    const plan = await databases.svc.queryRaw(`explain query plan ${sql}`, params)
    // A sort of all rows would read them all. Rows of one time are sorted alone.
    expect(plan.map(({ detail }) => detail)).not.toContain('USE TEMP B-TREE FOR ORDER BY')
  }
})

test.each([{ state: 'rejected' }, { strategy: 'rare' }, { state: 'rejected', strategy: 'rare' }] as const)(
  'a page of the journal with %o reads only orders of these',
  async (query) => {
    const { databases, history, journal } = await deskWithFiredGtt()
    const queries = vi.spyOn(databases.svc, 'queryRaw')
    await journal.list(USER, 5, query)
    await history.orders(USER, { strategy: query.strategy, limit: 5, status: 'rejected' })
    const lists = queries.mock.calls.filter(([sql]) =>
      /^select \* from \(select .* from "order_journal"/s.test(sql),
    )
    queries.mockRestore()
    expect(lists).toHaveLength(2)
    const index =
      'strategy' in query
        ? 'order_journal_strategy (user_id=? AND strategy=? AND state=?'
        : 'order_journal_page (state=? AND user_id=?'
    for (const [sql, params] of lists) {
      const plan = (await databases.svc.queryRaw(`explain query plan ${sql}`, params)).map(({ detail }) =>
        String(detail),
      )
      const reads = plan.filter((detail) =>
        detail.startsWith('SEARCH order_journal USING INDEX order_journal'),
      )
      expect(reads.length).toBeGreaterThan(0)
      for (const read of reads) expect(read).toContain(index)
    }
  },
)

test.each(['S000000000000000NONE', '9', '1-2-3', 'x'])('a list before %s is refused', async (before) => {
  const { history, journal } = await deskWithFiredGtt()
  const refusal = { code: 'validation', message: expect.stringMatching(/^before: /) }
  await expect(journal.list(USER, 9, { before })).rejects.toMatchObject(refusal)
  await expect(history.trades(USER, { limit: 9, before })).rejects.toMatchObject(refusal)
})

test('the journal of another user is no position in a list', async () => {
  const { journal } = await deskWithFiredGtt()
  await expect(journal.list('mallory', 9, { before: GTT })).rejects.toMatchObject({ code: 'validation' })
})
