import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { OrderJournal } from '../../../../src/core/orders/journal/journal.js'
import { UNFINISHED_ORDERS, WAITING_ORDERS } from '../../../../src/core/orders/journal/statements.js'
import { WORKING_ORDERS } from '../../../../src/core/orders/strategy/working-orders.js'
import type { Database, SqlValue } from '../../../../src/core/storage/index.js'
import { payloadOf, TestDesk, USER } from '../../../support/desk/desk.js'
import { query } from '../../../support/files/files.js'

/* The journal keeps facts in columns. A sentence is for people: no code reads one back. */

const RESTING = { pricetype: 'LIMIT' as const, price: 700 }
const BROKER = 'simulated'
const SBIN = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', quantity: 5 } as const

/** Everything code reads of the journal: day counter, strategy fills, what may be sent later, ids. */
async function readings(journal: OrderJournal, orderRefs: readonly string[]) {
  const rows = await Promise.all(orderRefs.map((ref) => journal.find(ref)))
  return {
    today: await journal.countSince(USER, 0),
    unfinished: await journal.unfinishedOf(USER, 'test', 0),
    filled: await journal.filledThrough(orderRefs, Number.MAX_SAFE_INTEGER),
    states: rows.map((row) => [row?.state, row?.endCause]),
    byId: await Promise.all(
      rows.map(async (row) => row?.orderId && (await journal.findByOrderId(BROKER, row.orderId))?.orderRef),
    ),
  }
}

/**
 * Orders with every end: filled, partly filled, refused by the broker or the gate, not sent, stopped, in
 * doubt.
 */
async function deskOfEveryEnd() {
  const desk = await TestDesk.open()
  const { brokers, journal, updates } = desk.service
  const filled = await desk.place()
  const partly = await desk.place(RESTING)
  const [order] = (await brokers.client().orders.list()).filter(({ status }) => status === 'open')
  if (order) updates.apply(BROKER, { ...order, status: 'open', filledQuantity: 4, averagePrice: 699.5 })
  await updates.drained()
  brokers.plugins.faults().set([{ on: ['place'], kind: 'fail', httpStatus: 400, message: 'RMS', times: 1 }])
  const refused = await desk.place()
  brokers.plugins.faults().set([])
  const { orderSlot } = brokers
  brokers.orderSlot = () => Promise.reject(new Error('no slot'))
  const unsent = await desk.place().catch(() => ({ orderRef: '' }))
  brokers.orderSlot = orderSlot
  const entry = {
    orderRef: 'S0000000000000STOPPED',
    userId: USER,
    operation: 'placeorder',
    source: 'api' as const,
    mode: 'live' as const,
    broker: BROKER,
    state: 'claimed' as const,
    payload: payloadOf(),
  }
  await journal.open([entry])
  await journal.move(entry.orderRef, 'rejected', { endCause: 'stopped', reason: 'Stopped' })
  const refs = [filled, partly, refused, unsent].map(({ orderRef = '' }) => orderRef)
  return { desk, refs: [...refs, entry.orderRef].filter((ref) => ref !== '') }
}

test('rewording every sentence of the journal changes nothing that code reads of it', async () => {
  const { desk, refs } = await deskOfEveryEnd()
  const { databases, journal } = desk.service
  const before = await readings(journal, refs)
  expect(before.states).toEqual([
    ['filled', null],
    ['partial', null],
    ['rejected', 'refused'],
    ['rejected', 'not_sent'],
    ['rejected', 'stopped'],
  ])
  expect(before.today).toBe(3)
  expect(before.unfinished.map(({ orderRef }) => orderRef).toSorted()).toEqual(refs.slice(1).toSorted())
  expect(refs.map((ref) => before.filled.get(ref)?.quantity)).toEqual([
    10,
    4,
    undefined,
    undefined,
    undefined,
  ])

  await databases.svc.write(async (tx) => {
    await tx.exec(`update order_journal set reason = 'other words' where reason is not null`)
    await tx.exec(`update order_events set detail = 'other words' where detail is not null`)
  })

  expect(await readings(journal, refs)).toEqual(before)
  expect(await journal.reopen(refs)).toEqual(new Set(['S0000000000000STOPPED']))
})

test.each([
  ['unfinished', UNFINISHED_ORDERS, [USER, 'test', 0, 'test'], 'created_at>?'],
  ['waiting', WAITING_ORDERS, [USER, 'test', 0, 1], 'created_at>? AND created_at<?'],
])('the %s orders of a strategy are read along its index', async (_, statement, values, times) => {
  const desk = await TestDesk.open()
  const file = join(desk.home, 'svc.db')
  const plan = await query<{ detail: string }>(file, `explain query plan ${statement}`, values)
  expect(plan.map(({ detail }) => detail)).toEqual([
    `SEARCH order_journal USING INDEX order_journal_strategy (user_id=? AND strategy=? AND state=? AND ${times})`,
  ])
})

test('the working orders of a strategy are read along indexes alone', async () => {
  const desk = await TestDesk.open()
  const plan = await query<{ detail: string }>(
    join(desk.home, 'svc.db'),
    `explain query plan ${WORKING_ORDERS}`,
    [USER, 'test', 0],
  )
  expect(plan.map(({ detail }) => detail).filter((line) => /^(SCAN|SEARCH)/.test(line))).toEqual([
    'SCAN CONSTANT ROW',
    'SEARCH order_journal USING INDEX order_journal_strategy (user_id=? AND strategy=? AND state=?)',
    'SEARCH f USING INDEX order_fills_at (at>?)',
    'SEARCH l USING COVERING INDEX order_fills_order (order_ref=? AND quantity>?)',
    'SEARCH j USING INDEX sqlite_autoindex_order_journal_1 (order_ref=?)',
    'SEARCH pending_orders USING INDEX pending_orders_page (user_id=? AND status=?)',
    'SEARCH p USING INDEX pending_orders_unsettled (execution=?)',
    'SEARCH order_journal USING COVERING INDEX order_journal_approval (approval_id=?)',
  ])
})

test('an id is looked up along the index of its broker', async () => {
  const desk = await TestDesk.open()
  const plan = await query<{ detail: string }>(
    join(desk.home, 'svc.db'),
    `explain query plan select * from order_journal where broker = ? and order_id = ?`,
    ['simulated', 'S1'],
  )
  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH order_journal USING INDEX order_journal_broker_order (broker=? AND order_id=?)',
  ])
})

/** Collects the statements of all writes from now on. A statement with rows in its text counts once. */
function recordedWrites(db: Database): ReadonlyMap<unknown, string> {
  const statements = new Map<unknown, string>()
  const [write, script] = [db.write.bind(db), db.script.bind(db)]
  db.write = (fn) =>
    write((tx) => {
      const { exec, query } = tx
      const recording = {
        exec: (sql: string, params?: readonly SqlValue[]) => exec(statements.set(sql, sql) && sql, params),
        query: (sql: string, params?: readonly SqlValue[]) => query(statements.set(sql, sql) && sql, params),
      }
      return fn(Object.assign(tx, recording))
    })
  db.script = (take, sent) =>
    script(() => {
      const taken = take()
      for (const { rows, statement } of taken)
        if (rows.length > 0) statements.set(statement, statement.text(rows))
      return taken
    }, sent)
  return statements
}

test('no write of the journal scans a table: an order costs the same after a million others', async () => {
  const desk = await TestDesk.open()
  const { databases, journal } = desk.service
  const statements = recordedWrites(databases.svc)
  await desk.place()
  const { orderRef = '' } = await desk.place(RESTING)
  const gtt = {
    orderRef: 'S00000000000000000GTT',
    userId: USER,
    operation: 'placegttorder',
    source: 'api' as const,
    mode: 'live' as const,
    broker: BROKER,
    state: 'claimed' as const,
    payload: payloadOf(),
  }
  await journal.open([gtt])
  await journal.move(gtt.orderRef, 'accepted', { triggerId: '77' })
  await journal.reopen([orderRef])

  const scans = []
  for (const sql of statements.values()) {
    const plan = await query<{ detail: string }>(join(desk.home, 'svc.db'), `explain query plan ${sql}`)
    const steps = plan.map(({ detail }) => detail)
    scans.push(...steps.filter((step) => /^SCAN (?!json_each|n\b|\(subquery|CONSTANT ROW)/.test(step)))
  }
  expect(scans).toEqual([])
  for (const freed of ['set order_id = null', 'set trigger_id = null']) {
    expect([...statements.values()].filter((sql) => sql.includes(freed))).toHaveLength(1)
  }
})

test('an id that a broker gives a second time is the id of the newer order', async () => {
  const desk = await TestDesk.open()
  const { journal } = desk.service
  const [{ orderRef: older = '' }, { orderRef: newer = '' }] = [
    await desk.place(RESTING),
    await desk.place(RESTING),
  ]
  const orderId = (await journal.find(older))?.orderId ?? ''
  await journal.move(newer, 'cancelled', { orderId })

  expect(await journal.findByOrderId(BROKER, orderId)).toMatchObject({ orderRef: newer })
  expect(await journal.find(older)).toMatchObject({ state: 'accepted', orderId: null })
})

test('the same id at two brokers names two orders', async () => {
  const desk = await TestDesk.open()
  const { journal } = desk.service
  const { orderRef: ours = '' } = await desk.place(RESTING)
  const orderId = (await journal.find(ours))?.orderId ?? ''
  const theirs = {
    orderRef: 'S00000000000000000002',
    userId: USER,
    operation: 'placeorder',
    source: 'api' as const,
    mode: 'live' as const,
    broker: 'zerodha',
    state: 'claimed' as const,
    payload: payloadOf(),
  }
  await journal.open([theirs])
  await journal.move(theirs.orderRef, 'accepted', { orderId })

  expect(await journal.findByOrderId(BROKER, orderId)).toMatchObject({ orderRef: ours })
  expect(await journal.findByOrderId('zerodha', orderId)).toMatchObject({ orderRef: theirs.orderRef })
})

test('a person cannot settle an order with the id of another one', async () => {
  const desk = await TestDesk.open()
  const { journal, reconciler } = desk.service
  const { orderRef: known = '' } = await desk.place(RESTING)
  const orderId = (await journal.find(known))?.orderId ?? ''
  const doubtful = {
    orderRef: 'S00000000000000000003',
    userId: USER,
    operation: 'placeorder',
    source: 'api' as const,
    mode: 'live' as const,
    broker: BROKER,
    state: 'claimed' as const,
    payload: payloadOf(),
  }
  await journal.open([doubtful])
  await journal.move(doubtful.orderRef, 'sending')
  await journal.move(doubtful.orderRef, 'unknown', { reason: 'Lost' })
  await desk.service.brokers.logout()

  const settling = reconciler.settle(doubtful.orderRef, {
    outcome: 'accepted',
    orderId,
    reason: 'seen',
    by: USER,
    force: true,
  })
  await expect(settling).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(`orderid: ${orderId} is the id of order ${known}`),
  })
  expect(await journal.find(known)).toMatchObject({ orderId })
})

/** Stores a GTT in a state. */
async function storeGtt(journal: OrderJournal, orderRef: string): Promise<void> {
  await journal.open([
    {
      orderRef,
      userId: USER,
      operation: 'placegttorder',
      source: 'api',
      mode: 'live',
      broker: BROKER,
      state: 'claimed',
      payload: payloadOf(),
    },
  ])
  await journal.move(orderRef, 'sending')
}

test('a person cannot settle a GTT with the id of another one; the id of an order is free', async () => {
  const desk = await TestDesk.open()
  const { journal, reconciler } = desk.service
  const { orderRef: order = '' } = await desk.place(RESTING)
  const orderId = (await journal.find(order))?.orderId ?? ''
  const [known, doubtful] = ['S0000000000000000GTT1', 'S0000000000000000GTT2']
  await storeGtt(journal, known)
  await journal.move(known, 'accepted', { triggerId: '77' })
  await storeGtt(journal, doubtful)
  await journal.move(doubtful, 'unknown', { reason: 'Lost' })
  await desk.service.brokers.logout()

  const settle = (id: string) =>
    reconciler.settle(doubtful, { outcome: 'accepted', orderId: id, reason: 'seen', by: USER, force: true })
  await expect(settle('77')).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(`orderid: 77 is the id of GTT ${known}`),
  })
  await settle(orderId)
  expect(await journal.find(doubtful)).toMatchObject({ state: 'accepted', triggerId: orderId, orderId: null })
  expect(await journal.findByOrderId(BROKER, orderId)).toMatchObject({ orderRef: order })
  expect(await journal.findByTriggerId(BROKER, '77')).toMatchObject({ orderRef: known })
})

test('the orders of a day are those that the gate counts: an exit of a strategy is none of them, also after a restart', async () => {
  const desk = await TestDesk.open()
  const { databases, journal, orders, risk } = desk.service
  await risk.change({ max_orders_per_day: 2 }, USER)
  const { strategyOrders } = orders
  const order = { userId: USER, strategy: 'orb', mode: 'live', broker: BROKER, ...SBIN } as const
  for (const [orderRef, role, action] of [
    ['S0000000000000ENTRY1', 'entry', 'BUY'],
    ['S00000000000000EXIT1', 'exit', 'SELL'],
    ['S00000000000000EXIT2', 'exit', 'SELL'],
  ] as const) {
    await databases.svc.write((tx) =>
      tx.exec(
        `insert into strategy_orders (strategy_id, run_id, leg_id, kind, position_ref, exit_owner, order_ref, symbol, exchange, action, quantity, product, placed_at)
          values (1, 1, 1, ?, 'p', 'engine', ?, 'SBIN', 'NSE', ?, 5, 'MIS', 0)`,
        [role === 'entry' ? 'entry' : 'exit_sl', orderRef, action],
      ),
    )
    const end = await strategyOrders.place({ ...order, orderRef, role, action })
    expect(end.outcome).toBe('placed')
  }
  expect(await journal.countSince(USER, 0)).toBe(1)
  await desk.close()
  const again = await TestDesk.open({ home: desk.home, clock: desk.clock })
  expect((await again.place()).body.status).toBe('success')
  expect((await again.place()).body.message).toContain('2 orders were placed today')
})
