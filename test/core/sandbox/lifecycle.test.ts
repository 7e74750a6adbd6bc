import { renameSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { orderOf, quoteOf, Rig } from './harness.js'

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
  rig.price(250)
})
afterEach(() => rig.close())

const SBIN = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS' } as const

describe('cancel', () => {
  it('returns the margin the order blocked, and no other', async () => {
    await rig.trade('BUY', 10, 250)
    const orderId = await rig.accepted({ quantity: 7, priceType: 'SL-M', triggerPrice: 300 })
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 500 + 420 })
    expect(await rig.sandbox.cancel('asha', orderId)).toEqual({
      ok: true,
      orderId,
      message: 'Order cancelled successfully',
    })
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 500, availablecash: 9_999_500 })
    expect(await rig.status(orderId)).toBe('cancelled')
    expect(rig.events.at(-1)).toMatchObject({
      topic: 'order.update',
      data: { orderid: orderId, order_status: 'cancelled', pending_quantity: 0 },
    })
    await rig.tick(310)
    expect(await rig.status(orderId)).toBe('cancelled')
  })

  it('refuses an order that no longer waits, is unknown, or belongs to another user', async () => {
    const done = await rig.accepted({})
    expect(await rig.sandbox.cancel('asha', done)).toEqual({
      ok: false,
      code: 'refused',
      message: 'Cannot cancel order in complete status',
    })
    const waiting = await rig.accepted({ priceType: 'LIMIT', price: 200 })
    const missing = { ok: false, code: 'not_found', message: `Order ${waiting} not found` }
    expect(await rig.sandbox.cancel('ravi', waiting)).toEqual(missing)
    expect(await rig.sandbox.cancel('asha', '26031299999999')).toMatchObject({ code: 'not_found' })
    expect(await rig.status(waiting)).toBe('open')
  })

  it('cancels everything at once, stops included', async () => {
    expect(await rig.sandbox.cancelAll('asha')).toEqual({
      message: 'No open orders to cancel',
      cancelled: [],
      failed: [],
    })
    const limit = await rig.accepted({ priceType: 'LIMIT', price: 200 })
    const stop = await rig.accepted({ action: 'SELL', priceType: 'SL', triggerPrice: 190, price: 189 })
    const outcome = await rig.sandbox.cancelAll('asha')
    expect(outcome.message).toBe('Canceled 2 orders. Failed to cancel 0 orders.')
    expect(outcome.cancelled.sort()).toEqual([limit, stop])
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 0, availablecash: 10_000_000 })
  })

  describe('of many orders', () => {
    const MANY = 600
    const waiting = () =>
      Promise.all(
        Array.from({ length: MANY }, () => rig.accepted({ quantity: 1, priceType: 'LIMIT', price: 190 })),
      )

    /** Runs `act` when the first part is on disk and the second one is not decided yet. */
    function afterFirstPart(act: () => void): void {
      const push = vi.spyOn(rig.events, 'push').mockImplementationOnce((...events) => {
        push.mockRestore()
        act()
        return rig.events.push(...events)
      })
    }

    it('leaves time between its parts, so that an order may fill, which then is not cancelled', async () => {
      const orderIds = await waiting()
      const filled = String(orderIds.at(-1))
      await rig.sandbox.modify('asha', filled, { quantity: 1, price: 195, triggerPrice: 0 })
      afterFirstPart(() => rig.market.tick(quoteOf({ symbol: 'SBIN', exchange: 'NSE' }, 194)))
      const { cancelled, message } = await rig.sandbox.cancelAll('asha')
      expect(await rig.status(filled)).toBe('complete 195.00')
      expect(cancelled.toSorted()).toEqual(orderIds.filter((orderId) => orderId !== filled).toSorted())
      expect(message).toBe(`Canceled ${MANY - 1} orders. Failed to cancel 0 orders.`)
    })

    it('names the orders that still wait when a veto refuses in between, and cancels nothing if it always does', async () => {
      const orderIds = await waiting()
      let isOver = true
      const veto = () => (isOver ? { code: 'conflict' as const, message: 'too late' } : undefined)
      const nothing = await rig.sandbox.cancelAll('asha', { veto })
      expect([nothing.cancelled.length, nothing.failed.length]).toEqual([0, MANY])
      isOver = false
      afterFirstPart(() => {
        isOver = true
      })
      const { cancelled, failed } = await rig.sandbox.cancelAll('asha', { veto })
      expect([...cancelled, ...failed.map(({ orderid }) => orderid)].toSorted()).toEqual(orderIds.toSorted())
      expect(cancelled.length).toBeGreaterThan(0)
      expect(new Set(failed.map(({ message }) => message))).toEqual(new Set(['too late']))
      const { orders } = await rig.sandbox.books.orderbook('asha')
      const open = orders.filter((order) => order.order_status === 'open').map(({ orderid }) => orderid)
      expect(open.toSorted()).toEqual(failed.map(({ orderid }) => orderid).toSorted())
    })

    it('names the orders that still wait when the disk fails in between', async () => {
      const orderIds = await waiting()
      const file = rig.db.file
      afterFirstPart(() => renameSync(file, `${file}.away`))
      const { cancelled, failed } = await rig.sandbox.cancelAll('asha')
      renameSync(`${file}.away`, file)
      expect(cancelled.length).toBeGreaterThan(0)
      expect(failed.length).toBeGreaterThan(0)
      expect([...cancelled, ...failed.map(({ orderid }) => orderid)].toSorted()).toEqual(orderIds.toSorted())
      const { orders } = await rig.sandbox.books.orderbook('asha')
      const open = orders.filter((order) => order.order_status === 'open').map(({ orderid }) => orderid)
      expect(open.toSorted()).toEqual(failed.map(({ orderid }) => orderid).toSorted())
    })
  })
})

describe('modify', () => {
  it('blocks and returns the difference in margin', async () => {
    const orderId = await rig.accepted({ quantity: 10, priceType: 'LIMIT', price: 200 })
    expect((await rig.funds()).utiliseddebits).toBe(400)
    const outcome = await rig.sandbox.modify('asha', orderId, { quantity: 20, price: 210, triggerPrice: 0 })
    expect(outcome).toEqual({ ok: true, orderId, message: 'Order modified successfully' })
    expect((await rig.funds()).utiliseddebits).toBe(840)
    await rig.sandbox.modify('asha', orderId, { quantity: 5, price: 0, triggerPrice: 0 })
    expect((await rig.funds()).utiliseddebits).toBe(210)
    expect(await rig.sandbox.books.order('asha', orderId)).toMatchObject({
      quantity: 5,
      price: 210,
      order_status: 'open',
    })
  })

  it.each([
    ['SL', 249, 49_800],
    ['SL-M', 0, 50_000],
  ] as const)(
    'a triggered %s keeps its trigger, and the margin of what it may still sell',
    async (priceType, price, margin) => {
      rig.price(252)
      const orderId = await rig.accepted({
        action: 'SELL',
        quantity: 1_000,
        priceType,
        triggerPrice: 250,
        price,
        instructions: priceType === 'SL-M' ? { marketProtection: 1 } : {},
      })
      await rig.tick(245)
      expect(await rig.status(orderId)).toBe('open')
      await rig.sandbox.modify('asha', orderId, { quantity: 1_000, price: 0, triggerPrice: 0.05 })
      expect((await rig.funds()).utiliseddebits).toBe(margin)
      expect(await rig.sandbox.books.order('asha', orderId)).toMatchObject({
        trigger_price: 250,
        order_status: 'open',
      })
    },
  )

  it('fills at the market when the new limit reaches it', async () => {
    const orderId = await rig.accepted({ priceType: 'LIMIT', price: 200 })
    await rig.sandbox.modify('asha', orderId, { quantity: 10, price: 260, triggerPrice: 0 })
    expect(await rig.status(orderId)).toBe('complete 250.00')
  })

  it.each([
    [
      'a price on a stop market order',
      { quantity: 10, price: 5, triggerPrice: 0 },
      'SL-M orders do not accept a price',
    ],
    ['no quantity', { quantity: 0, price: 0, triggerPrice: 310 }, 'Quantity must be positive'],
    ['a negative trigger', { quantity: 10, price: 0, triggerPrice: -4 }, 'Trigger price must be positive'],
    [
      'what cannot be paid',
      { quantity: 1_000_000, price: 0, triggerPrice: 300 },
      'Insufficient funds. Required: ₹59999400.00, Available: ₹9999400.00, Shortage: ₹50000000.00',
    ],
  ])('refuses %s and leaves the order as it was', async (_name, changes, message) => {
    const orderId = await rig.accepted({ priceType: 'SL-M', triggerPrice: 300 })
    expect(await rig.sandbox.modify('asha', orderId, changes)).toEqual({
      ok: false,
      code: 'refused',
      message,
    })
    expect(await rig.sandbox.books.order('asha', orderId)).toMatchObject({ quantity: 10, trigger_price: 300 })
    expect((await rig.funds()).utiliseddebits).toBe(600)
  })

  it('refuses a trigger on a limit order, a finished order and an unknown one', async () => {
    const limit = await rig.accepted({ priceType: 'LIMIT', price: 200 })
    const changes = { quantity: 10, price: 0, triggerPrice: 210 }
    expect(await rig.sandbox.modify('asha', limit, changes)).toMatchObject({
      message: 'LIMIT orders do not accept a trigger_price',
    })
    await rig.sandbox.cancel('asha', limit)
    expect(await rig.sandbox.modify('asha', limit, changes)).toMatchObject({
      message: 'Cannot modify order in cancelled status',
    })
    expect(await rig.sandbox.modify('asha', '26031200000001', changes)).toMatchObject({ code: 'not_found' })
  })

  it('does not let a delivery sell grow past the shares there are', async () => {
    await rig.trade('BUY', 10, 100, { product: 'CNC' })
    const orderId = await rig.accepted({
      action: 'SELL',
      product: 'CNC',
      priceType: 'LIMIT',
      price: 130,
      quantity: 8,
    })
    expect(
      await rig.sandbox.modify('asha', orderId, { quantity: 11, price: 0, triggerPrice: 0 }),
    ).toMatchObject({
      message: 'Cannot sell 11 shares of SBIN in CNC. Only 10 shares available (Position: 10, Holdings: 0)',
    })
    expect(
      await rig.sandbox.modify('asha', orderId, { quantity: 10, price: 0, triggerPrice: 0 }),
    ).toMatchObject({ ok: true })
  })
})

describe('close', () => {
  it('closes one position by the opposite order', async () => {
    await rig.trade('SELL', 40, 250)
    expect(await rig.sandbox.openPosition('asha', SBIN)).toBe(-40)
    const outcome = await rig.sandbox.closePosition('asha', SBIN)
    expect(outcome).toMatchObject({ ref: SBIN, pieces: [{ quantity: 40, outcome: { ok: true } }] })
    expect(await rig.sandbox.openPosition('asha', SBIN)).toBe(0)
    expect(await rig.sandbox.closePosition('asha', SBIN)).toEqual({ ref: SBIN, pieces: [] })
    const { orders } = await rig.sandbox.books.orderbook('asha')
    expect(orders[0]).toMatchObject({
      action: 'BUY',
      quantity: 40,
      pricetype: 'MARKET',
      strategy: 'AUTO_SQUARE_OFF',
    })
  })

  it('closes once when several requests arrive at the same moment', async () => {
    await rig.trade('BUY', 40, 250)
    await Promise.all(Array.from({ length: 8 }, () => rig.sandbox.closePosition('asha', SBIN)))
    expect(await rig.sandbox.openPosition('asha', SBIN)).toBe(0)
    expect(await rig.sandbox.books.tradebook('asha')).toHaveLength(2)
  })

  it('does not double a close that waits for a sound quote', async () => {
    await rig.trade('BUY', 40, 250)
    rig.price(250, undefined, { low: 260, high: 270 })
    const [first, second] = [
      await rig.sandbox.closePosition('asha', SBIN),
      await rig.sandbox.closePosition('asha', SBIN),
    ]
    expect(first.pieces).toMatchObject([{ quantity: 40, outcome: { ok: true } }])
    expect(second.pieces).toMatchObject([{ outcome: { ok: false, code: 'conflict' } }])
    await rig.tick(255)
    expect(await rig.sandbox.openPosition('asha', SBIN)).toBe(0)
  })

  it('closes everything or the filtered positions, and counts them', async () => {
    expect(await rig.closeAll()).toEqual({ closed: 0, failures: [] })
    await rig.trade('BUY', 40, 250)
    await rig.trade('SELL', 5, 1_500, { symbol: 'INFY' })
    await rig.trade('BUY', 3, 3_000, { symbol: 'TCS', exchange: 'BSE' })
    expect(await rig.closeAll({ symbol: 'INFY' })).toEqual({ closed: 1, failures: [] })
    rig.market.set(quoteOf({ symbol: 'TCS', exchange: 'BSE' }, 0))
    expect(await rig.closeAll()).toEqual({
      closed: 1,
      failures: [
        {
          symbol: 'TCS',
          exchange: 'BSE',
          product: 'MIS',
          message:
            'Cannot place MARKET order for TCS - unable to fetch current price. Please try again later or use LIMIT order with a specific price.',
        },
      ],
    })
  })
})

describe('waiting orders on a position that changes', () => {
  it('blocks margin when the position an order was to close no longer exists', async () => {
    await rig.trade('BUY', 40, 250)
    const waiting = await rig.accepted({ action: 'SELL', quantity: 40, priceType: 'LIMIT', price: 260 })
    await rig.trade('SELL', 40, 250)
    expect((await rig.funds()).utiliseddebits).toBe(0)
    await rig.tick(261)
    expect(await rig.status(waiting)).toBe('complete 260.00')
    expect(await rig.positionMargin()).toBe(2_080)
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 2_080, availablecash: 9_997_920 })
  })

  it('cancels it with the reason when that margin cannot be paid', async () => {
    await rig.sandbox.changeSetting('starting_capital', '100000')
    await rig.trade('BUY', 400, 250)
    const waiting = await rig.accepted({ action: 'SELL', quantity: 400, priceType: 'LIMIT', price: 260 })
    await rig.trade('SELL', 400, 250)
    await rig.trade('BUY', 980, 100, { symbol: 'INFY', product: 'CNC' })
    await rig.tick(261)
    expect(await rig.sandbox.books.order('asha', waiting)).toMatchObject({
      order_status: 'cancelled',
      rejection_reason: 'Insufficient funds. Required: ₹20800.00, Available: ₹2000.00, Shortage: ₹18800.00',
    })
    expect(await rig.sandbox.openPosition('asha', SBIN)).toBe(0)
  })

  it('returns the margin of units that turn out to close', async () => {
    const waiting = await rig.accepted({ quantity: 40, priceType: 'LIMIT', price: 240 })
    await rig.trade('SELL', 30, 250)
    await rig.tick(239)
    expect(await rig.status(waiting)).toBe('complete 240.00')
    expect(await rig.positionMargin()).toBe(480)
    expect(await rig.funds()).toMatchObject({
      utiliseddebits: 480,
      availablecash: 9_999_820,
      total_realized_pnl: 300,
    })
  })
})

describe('delivery shares that cost more than the order was accepted on', () => {
  const stop = { product: 'CNC', priceType: 'SL', triggerPrice: 255, price: 300 } as const

  it('are paid for when the order fills', async () => {
    const orderId = await rig.accepted({ ...stop, quantity: 100 })
    expect((await rig.funds()).utiliseddebits).toBe(25_500)
    await rig.tick(299)
    expect(await rig.status(orderId)).toBe('complete 299.00')
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 29_900, availablecash: 9_970_100 })
    await rig.pass('2026-03-13T00:00:00+05:30')
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 0, availablecash: 9_970_100 })
  })

  it('are not bought when the account cannot pay for them', async () => {
    const orderId = await rig.accepted({ ...stop, quantity: 39_000 })
    await rig.tick(299)
    expect(await rig.sandbox.books.order('asha', orderId)).toMatchObject({
      order_status: 'cancelled',
      rejection_reason:
        'Insufficient funds. Required: ₹1716000.00, Available: ₹55000.00, Shortage: ₹1661000.00',
    })
    expect(await rig.funds()).toMatchObject({ utiliseddebits: 0, availablecash: 10_000_000 })
  })
})

describe('reset', () => {
  it('resets the account and no other', async () => {
    await rig.trade('BUY', 40, 250)
    const waiting = await rig.accepted({ priceType: 'LIMIT', price: 200 })
    await rig.sandbox.place('ravi', orderOf({}))
    await rig.clock.advance(60_000)
    await rig.sandbox.reset('asha')
    expect(await rig.funds()).toMatchObject({
      availablecash: 10_000_000,
      utiliseddebits: 0,
      reset_count: 1,
      last_reset: '2026-03-12 10:01:00',
    })
    expect(await rig.sandbox.books.orderbook('asha')).toMatchObject({ orders: [] })
    expect((await rig.sandbox.books.positions('asha')).positions).toEqual([])
    expect(rig.events.at(-1)).toMatchObject({ data: { orderid: waiting, order_status: 'cancelled' } })
    expect((await rig.sandbox.books.positions('ravi')).positions).toHaveLength(1)
    await rig.reboot()
    expect(await rig.funds()).toMatchObject({ availablecash: 10_000_000, reset_count: 1 })
  })
})

describe('the market', () => {
  it('is followed for exactly the waiting orders and the open positions', async () => {
    expect(rig.market.watched).toEqual([])
    const waiting = await rig.accepted({ priceType: 'LIMIT', price: 200 })
    await rig.trade('BUY', 5, 1_500, { symbol: 'INFY' })
    expect(rig.market.watched).toEqual(['NSE:INFY', 'NSE:SBIN'])
    await rig.sandbox.cancel('asha', waiting)
    await rig.trade('SELL', 5, 1_500, { symbol: 'INFY' })
    expect(rig.market.watched).toEqual([])
  })

  it('is released in Live mode, and waiting orders are matched on return', async () => {
    const waiting = await rig.accepted({ priceType: 'LIMIT', price: 200 })
    await rig.sandbox.stop()
    expect(rig.market.watched).toEqual([])
    await rig.tick(199)
    expect(await rig.status(waiting)).toBe('open')
    await rig.sandbox.start()
    await rig.sandbox.books.orderbook('asha')
    expect(await rig.status(waiting)).toBe('complete 200.00')
    expect(rig.market.watched).toEqual(['NSE:SBIN'])
  })
})
