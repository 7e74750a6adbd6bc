import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Approvals, emptyStatistics, shouldQueue } from '../../../src/core/approvals/index.js'
import { ApprovalStore } from '../../../src/core/approvals/store.js'
import { EventBus } from '../../../src/core/events/index.js'
import { silentLogger } from '../../../src/core/logging/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { LedgerExecutor, ORDER, openRig, placed } from './rig.js'

describe('which calls wait for approval', () => {
  const never = [
    'closeposition',
    'closeallpositions',
    'cancelorder',
    'cancelallorder',
    'modifyorder',
    'modifygttorder',
    'cancelgttorder',
    'gttorderbook',
    'orderstatus',
    'orderbook',
    'tradebook',
    'positions',
    'openposition',
    'holdings',
    'funds',
  ]
  test.each(never)('%s never waits, however it is written', (operation) => {
    expect(shouldQueue(() => 'semi_auto', operation)).toBe(false)
    expect(shouldQueue(() => 'semi_auto', operation.toUpperCase())).toBe(false)
  })

  test.each([
    ['semi_auto', true],
    ['auto', false],
    [undefined, false],
  ])('in mode %s an order waits: %s', (mode, expected) => {
    expect(shouldQueue(() => mode, 'placeorder')).toBe(expected)
  })

  test('a failure of the routing decision means immediate execution', async () => {
    const rig = await openRig({
      orderMode: () => {
        throw new Error('settings are broken')
      },
    })
    expect(rig.approvals.shouldQueue('asha', 'placeorder')).toBe(false)
  })
})

describe('queueing', () => {
  test('stores the request without its key, in IST, and announces it with the exact payload', async () => {
    const { approvals, events } = await openRig()
    const id = await approvals.enqueue('asha', 'placeorder', { apikey: 'secret', ...ORDER }, { ltp: 812.35 })
    expect(id).toBe(1)
    const { orders } = await approvals.list('asha', { status: 'pending' })
    expect(orders).toEqual([
      {
        id: 1,
        user_id: 'asha',
        api_type: 'placeorder',
        status: 'pending',
        created_at_ist: '2026-03-10 09:30:00 IST',
        created_at: '2026-03-10T04:00:00.000Z',
        strategy: 'Trend',
        symbol: 'SBIN',
        exchange: 'NSE',
        action: 'BUY',
        quantity: 10,
        price: '812.5',
        trigger_price: '0',
        price_type: 'LIMIT',
        product_type: 'MIS',
        approved_at_ist: null,
        approved_by: null,
        rejected_at_ist: null,
        rejected_by: null,
        rejected_reason: null,
        broker_order_id: null,
        broker_status: null,
        queued_mode: 'live',
        created_ltp: 812.35,
        expires_at: null,
        execution: null,
        order_ref: null,
        execution_error: null,
        raw_order_data: ORDER,
      },
    ])
    expect(events).toEqual([
      {
        topic: 'pending_order_created',
        payload: {
          pending_order_id: 1,
          user_id: 'asha',
          api_type: 'placeorder',
          message: 'New placeorder order queued for approval',
        },
      },
    ])
  })

  test('hundreds at once each get their own id, and all are there after a restart', async () => {
    const first = await openRig()
    const ids = await Promise.all(
      Array.from({ length: 400 }, (_, i) =>
        first.approvals.enqueue('asha', 'placeorder', { ...ORDER, quantity: i + 1 }),
      ),
    )
    expect(new Set(ids).size).toBe(400)
    const again = await openRig({ file: first.file })
    const { orders } = await again.approvals.list('asha', { status: 'pending', limit: 400 })
    expect(orders.map((order) => order.id)).toEqual(Array.from({ length: 400 }, (_, i) => 400 - i))
    expect(orders.every((order) => order.quantity === order.id)).toBe(true)
    expect(again.approvals.count('asha')).toBe(400)
  })

  test('an id is never used again, not even after its row was deleted and the service restarted', async () => {
    const first = await openRig()
    const id = await first.approvals.enqueue('asha', 'placeorder', ORDER)
    await first.approvals.reject('asha', id, 'asha')
    await first.approvals.remove('asha', id)
    const again = await openRig({ file: first.file })
    expect(await again.approvals.enqueue('asha', 'placeorder', ORDER)).toBe(id + 1)
  })

  test('what is written alongside is there with the row, or neither is', async () => {
    const { approvals, db, events } = await openRig()
    const id = await approvals.enqueue('asha', 'placeorder', ORDER, {
      alongside: async (tx, pendingOrderId) => {
        await tx.exec('insert into journal values (?, ?)', ['key-1', pendingOrderId])
      },
    })
    expect(await db.queryRaw('select * from journal')).toEqual([{ ref: 'key-1', approval_id: id }])
    events.length = 0
    const failing = approvals.enqueue('asha', 'placeorder', ORDER, {
      alongside: async () => {
        throw new Error('no')
      },
    })
    await expect(failing).rejects.toMatchObject({ code: 'internal', message: 'Failed to queue order' })
    expect(approvals.count('asha')).toBe(1)
    expect(events).toEqual([])
  })

  test('every row carries its own second', async () => {
    const { approvals, clock } = await openRig()
    for (const ms of [0, 999, 1, 86_400_000]) {
      await clock.advance(ms)
      await approvals.enqueue('asha', 'placeorder', ORDER)
    }
    const { orders } = await approvals.list('asha', { status: 'pending' })
    expect(orders.map((order) => order.created_at_ist)).toEqual([
      '2026-03-11 09:30:01 IST',
      '2026-03-10 09:30:01 IST',
      '2026-03-10 09:30:00 IST',
      '2026-03-10 09:30:00 IST',
    ])
  })

  test('events that nobody has room for do not fail the caller', async () => {
    const { approvals } = await openRig({ events: new EventBus(silentLogger) })
    const ids = await Promise.all(
      Array.from({ length: 1500 }, () => approvals.enqueue('asha', 'placeorder', ORDER)),
    )
    expect(ids).toHaveLength(1500)
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1e15, undefined])(
    'a last price of %s is stored as no price',
    async (ltp) => {
      const { approvals } = await openRig()
      const id = await approvals.enqueue('asha', 'placeorder', ORDER, { ltp })
      expect(await approvals.view('asha', id)).toMatchObject({ created_ltp: null })
    },
  )
})

describe('lists', () => {
  test('show one status or all, newest first, in pages', async () => {
    const { approvals, executor } = await openRig()
    executor.answer = () => placed('B1')
    for (let i = 0; i < 9; i++) await approvals.enqueue('asha', 'placeorder', ORDER)
    for (const id of [1, 4, 7]) await approvals.approve('asha', id, 'asha')
    for (const id of [2, 5, 8]) await approvals.reject('asha', id, 'asha')
    const idsOf = async (query: Parameters<Approvals['list']>[1]) => {
      const { orders, nextBefore } = await approvals.list('asha', query)
      return { ids: orders.map((order) => order.id), nextBefore }
    }
    expect(await idsOf({ status: 'pending' })).toEqual({ ids: [9, 6, 3], nextBefore: undefined })
    expect(await idsOf({ status: 'approved' })).toEqual({ ids: [7, 4, 1], nextBefore: undefined })
    expect(await idsOf({ status: 'all' })).toEqual({
      ids: [9, 8, 7, 6, 5, 4, 3, 2, 1],
      nextBefore: undefined,
    })
    expect(await idsOf({ status: 'all', limit: 4 })).toEqual({ ids: [9, 8, 7, 6], nextBefore: 6 })
    expect(await idsOf({ status: 'all', limit: 5, before: 6 })).toEqual({
      ids: [5, 4, 3, 2, 1],
      nextBefore: undefined,
    })
    expect(await idsOf({ status: 'nonsense' })).toEqual({ ids: [], nextBefore: undefined })
    const other = await approvals.list('ravi', { status: 'all' })
    expect(other).toEqual({ orders: [], total: 0 })
  })

  describe('of many rows', () => {
    const ROWS = 250

    async function openQueue() {
      const rig = await openRig()
      await Promise.all(
        Array.from({ length: ROWS }, () => rig.approvals.enqueue('asha', 'placeorder', ORDER)),
      )
      return rig
    }

    test.each(['pending', 'all'])('have pages of a hundred and a total, with status %s', async (status) => {
      const { approvals } = await openQueue()
      const ids: number[] = []
      const sizes: number[] = []
      for (let before: number | undefined; ; ) {
        const { orders, total, nextBefore } = await approvals.list('asha', {
          status,
          ...(before !== undefined && { before }),
        })
        expect(total).toBe(ROWS)
        sizes.push(orders.length)
        ids.push(...orders.map(({ id }) => id))
        if (nextBefore === undefined) break
        before = nextBefore
      }
      expect(sizes).toEqual([100, 100, 50])
      expect(ids).toEqual(Array.from({ length: ROWS }, (_, at) => ROWS - at))
    })

    test('are read about a hundred at a time, so that orders run in between', async () => {
      const { approvals } = await openQueue()
      const reads = vi.spyOn(ApprovalStore.prototype, 'page')
      onTestFinished(() => reads.mockRestore())
      const { orders } = await approvals.list('asha', { status: 'pending', limit: 1000 })
      expect(orders).toHaveLength(ROWS)
      const sizes = await Promise.all(reads.mock.results.map(async ({ value }) => (await value).length))
      expect(sizes).toEqual([101, 101, 48])
    })
  })

  test('a page skips the rows of other states and periods in the index alone', async () => {
    const { approvals, db } = await openRig()
    const queries = vi.spyOn(db, 'queryRaw')
    await approvals.list('asha', { status: 'all', since: 1, until: 2 })
    const [sql, params] = queries.mock.calls.find(([text]) => text.includes('union all')) ?? []
    queries.mockRestore()
    const plan = await db.queryRaw(`explain query plan ${sql}`, params)
    const reads = plan
      .map(({ detail }) => String(detail))
      .filter((detail) => detail.includes('pending_orders'))
    const page =
      'SEARCH pending_orders USING COVERING INDEX pending_orders_page (user_id=? AND status=? AND id<?)'
    expect(reads.filter((read) => read !== page)).toEqual([
      'SEARCH pending_orders USING INTEGER PRIMARY KEY (rowid=?)',
    ])
    expect(reads).toHaveLength(4)
  })

  test('a row whose request cannot be read is shown as such, is not executed and can be rejected', async () => {
    const { approvals, db, executor } = await openRig()
    const id = await approvals.enqueue('asha', 'placeorder', ORDER)
    await db.write((tx) => tx.exec(`update pending_orders set order_data = '[broken' where id = ${id}`))
    expect(await approvals.view('asha', id)).toMatchObject({
      strategy: 'Error',
      symbol: 'Error parsing order',
      quantity: 0,
      action: '-',
      error: expect.any(String),
    })
    await expect(approvals.approve('asha', id, 'asha')).rejects.toMatchObject({ code: 'refused' })
    expect(executor.executed).toEqual([])
    await approvals.reject('asha', id, 'asha')
  })
})

test('statistics follow every change and are the same after a restart', async () => {
  const rig = await openRig()
  const { approvals } = rig
  const queue = (operation: string, payload: Record<string, unknown>) =>
    approvals.enqueue('asha', operation, payload)
  const leg = (action: string) => ({ action, quantity: 75 })
  await queue('placeorder', { ...ORDER, action: 'buy' })
  await queue('placeorder', { ...ORDER, action: 'SELL' })
  await queue('smartorder', ORDER)
  await queue('basketorder', { orders: [ORDER, ORDER] })
  await queue('basketorder', { orders: [{ ...ORDER, action: 'SELL' }] })
  await queue('splitorder', { ...ORDER, splitsize: 5 })
  await queue('optionsorder', { ...ORDER, underlying: 'NIFTY', offset: 'ATM', option_type: 'CE' })
  await queue('optionsmultiorder', { underlying: 'NIFTY', legs: [leg('sell'), leg('SELL')] })
  await queue('optionsmultiorder', { underlying: 'NIFTY', legs: [leg('BUY'), leg('SELL')] })
  await queue('placegttorder', { ...ORDER, trigger_type: 'SINGLE' })
  await approvals.enqueue('ravi', 'placeorder', ORDER)
  const afterQueueing = {
    total_pending: 10,
    total_approved: 0,
    total_rejected: 0,
    total_buy_orders: 5,
    total_sell_orders: 3,
    total_placeorder: 2,
    total_smartorder: 1,
    total_basketorder: 2,
    total_splitorder: 1,
    total_optionsorder: 1,
    total_optionsmultiorder: 2,
    total_placegttorder: 1,
  }
  expect(approvals.statistics('asha')).toEqual(afterQueueing)
  await approvals.approve('asha', 1, 'asha')
  await approvals.approve('asha', 4, 'asha')
  await approvals.reject('asha', 2, 'asha')
  await approvals.reject('asha', 10, 'asha')
  await approvals.remove('asha', 2)
  await approvals.remove('asha', 4)
  const end = {
    ...afterQueueing,
    total_pending: 6,
    total_approved: 1,
    total_rejected: 1,
    total_sell_orders: 2,
    total_placeorder: 1,
    total_basketorder: 1,
  }
  expect(approvals.statistics('asha')).toEqual(end)
  const again = await openRig({ file: rig.file })
  expect(again.approvals.statistics('asha')).toEqual(end)
  expect(again.approvals.statistics('nobody')).toEqual(emptyStatistics())
})

test('nothing is approved before the executor is there', async () => {
  const { db } = await openRig()
  const approvals = await Approvals.open({
    database: db,
    clock: new VirtualClock(0),
    settings: { expirySeconds: 0, maxDriftPercent: 0 },
    events: { publishPaced: () => undefined },
    log: silentLogger,
    lastPrice: () => undefined,
    orderMode: () => 'semi_auto',
    hasApiKey: () => true,
    tradingMode: () => 'live',
    assistantsPropose: () => false,
    stopping: new AbortController().signal,
  })
  const id = await approvals.enqueue('asha', 'placeorder', ORDER)
  await expect(approvals.approve('asha', id, 'asha')).rejects.toMatchObject({ code: 'unavailable' })
  await approvals.start(new LedgerExecutor())
  expect(await approvals.approve('asha', id, 'asha')).toMatchObject({ outcome: 'executed' })
})
