import { describe, expect, it } from 'vitest'
import type { PlaceOrderPayload } from '../../../src/core/orders/index.js'
import { flowOrders } from '../../../src/daemon/flows/order-port.js'
import { flowReads } from '../../../src/daemon/flows/read-port.js'
import { type DeskOptions, TestDesk, USER } from '../../support/desk/desk.js'
import { deskClock } from '../../support/desk/desk-clock.js'

const MODES = ['live', 'analyze'] as const
type Mode = (typeof MODES)[number]

async function open(mode: Mode, options: DeskOptions = {}) {
  const desk = await TestDesk.open(options)
  if (mode === 'analyze') await desk.service.sandbox.start()
  await desk.service.settings.setAnalyzeMode(mode === 'analyze')
  const reads = flowReads(desk.service)
  return {
    desk,
    place: async (fields: Partial<PlaceOrderPayload>) => {
      const answer = await desk.settled(desk.place({ strategy: 'orb', ...fields }))
      expect(answer.code).toBe('ok')
      await desk.service.updates.drained()
    },
    profit: async (strategy = 'orb') => {
      const { output } = await desk.settled(reads.ask('strategypnl', { strategy }, { userId: USER }))
      return output
    },
  }
}

const four = (rupees: number) => Math.round(rupees * 10_000) / 10_000

describe.each(MODES)('the profit of a strategy (%s)', (mode) => {
  it('is nothing for one nobody knows', async () => {
    const { profit } = await open(mode)

    expect(await profit('nobody')).toEqual({
      status: 'success',
      strategy: 'nobody',
      realized: 0,
      today_realized: 0,
      unrealized: 0,
      total: 0,
      today_total: 0,
      open_quantity: 0,
      working_orders: 0,
      unpriced_legs: 0,
      legs: [],
    })
  })

  it('lists open legs first, and counts only orders of its tag', async () => {
    const { place, profit } = await open(mode)
    await place({ symbol: 'INFY', quantity: 5 })
    await place({ symbol: 'INFY', quantity: 5, action: 'SELL' })
    await place({ quantity: 10 })
    await place({ quantity: 4, action: 'SELL' })
    await place({ quantity: 100, strategy: 'other' })

    const { legs, ...totals } = await profit()

    expect(legs).toMatchObject([
      { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', quantity: 6 },
      { symbol: 'INFY', quantity: 0, average_price: 0, unrealized: 0 },
    ])
    expect(totals).toMatchObject({ strategy: 'orb', open_quantity: 6, unpriced_legs: 0 })
    const rows = Array.isArray(legs) ? legs : []
    const sum = (key: string) => four(rows.reduce((all: number, row) => all + row[key], 0))
    const { realized, today_realized, unrealized } = totals
    expect([realized, today_realized, unrealized]).toEqual(
      ['realized', 'today_realized', 'unrealized'].map(sum),
    )
    expect(realized).toBe(today_realized)
    expect(totals.total).toBe(four(Number(realized) + Number(unrealized)))
    const [open_] = rows
    expect(open_.unrealized).toBe(four(6 * (open_.ltp - open_.average_price)))
  })

  it('counts a position that was closed for everybody as closed', async () => {
    const { desk, place, profit } = await open(mode)
    await place({ quantity: 10 })
    const context = { userId: USER, idempotencyKey: 'flow:1:n:1:1' }
    const orders = flowOrders(desk.service)
    const { ok } = await desk.settled(orders.send('closeposition', { strategy: 'flow' }, context))
    expect(ok).toBe(true)
    await desk.service.updates.drained()

    expect(await profit()).toMatchObject({ open_quantity: 0, unrealized: 0, legs: [{ quantity: 0 }] })
  })

  it('ends a contract with the session after its expiry', async () => {
    const first = await open(mode)
    await first.place({ symbol: 'NIFTY24NOV2626000CE', exchange: 'NFO', product: 'NRML', quantity: 65 })
    expect(await first.profit()).toMatchObject({ open_quantity: 65 })
    const { home } = first.desk
    await first.desk.close()
    const { profit } = await open(mode, { home, clock: deskClock('2026-11-25T10:00:00+05:30') })
    const after = await profit()
    expect(after).toMatchObject({
      open_quantity: 0,
      unrealized: 0,
      unpriced_legs: 0,
      legs: [{ quantity: 0 }],
    })
    // Only the sandbox knows at which price the contract was settled.
    expect(after.realized === 0).toBe(mode === 'live')
  })

  it('counts the orders of its tag that may still trade', async () => {
    const { desk, place, profit } = await open(mode)
    await place({ quantity: 10 })
    await place({ quantity: 10, pricetype: 'LIMIT', price: 700 })
    await place({ quantity: 10, pricetype: 'LIMIT', price: 700, strategy: 'other' })
    expect(await profit()).toMatchObject({ open_quantity: 10, working_orders: 1 })

    const cancelled = desk.orders.changes.cancelAll({ strategy: 'orb' }, { userId: USER, source: 'api' })
    expect(await desk.settled(cancelled)).toMatchObject({ code: 'ok' })
    await desk.service.updates.drained()
    expect(await profit()).toMatchObject({ open_quantity: 10, working_orders: 0 })
  })

  it('continues in the next session, where only the profit realized then counts for today', async () => {
    const first = await open(mode)
    await first.place({ quantity: 10, product: 'CNC' })
    await first.place({ quantity: 3, product: 'CNC', action: 'SELL' })
    const before = await first.profit()
    await first.desk.close()

    const clock = deskClock('2026-11-23T11:00:00+05:30')
    const { profit } = await open(mode, { home: first.desk.home, clock })

    expect(await profit()).toMatchObject({
      realized: before.realized,
      today_realized: 0,
      open_quantity: 7,
      legs: [{ quantity: 7, product: 'CNC' }],
    })
  })
})

describe('live', () => {
  it('an intraday leg ends with its session: the broker squares it off', async () => {
    const first = await open('live')
    await first.place({ quantity: 10 })
    await first.desk.close()

    const clock = deskClock('2026-11-23T11:00:00+05:30')
    const { profit } = await open('live', { home: first.desk.home, clock })

    expect(await profit()).toMatchObject({ open_quantity: 0, legs: [{ quantity: 0, product: 'MIS' }] })
  })

  it('an order that waits for approval may still trade, and a rejected one may not', async () => {
    const { desk, place, profit } = await open('live')
    const { approvals, identity } = desk.service
    await identity.apiKeys.setOrderMode(USER, 'semi_auto')
    await place({})
    await place({ strategy: 'other' })
    expect(await profit()).toMatchObject({ open_quantity: 0, working_orders: 1 })

    await place({})
    await desk.settled(approvals.reject(USER, 1, USER))
    await desk.settled(approvals.approve(USER, 3, USER))
    await desk.service.updates.drained()
    expect(await profit()).toMatchObject({ open_quantity: 10, working_orders: 0 })
  })

  it('an order in doubt may still trade', async () => {
    const { desk, profit } = await open('live')
    desk.service.brokers.plugins.faults().set([{ on: ['place'], kind: 'lose_answer' }])
    const answer = await desk.settled(desk.place({ strategy: 'orb', pricetype: 'LIMIT', price: 700 }))
    expect(answer.code).toBe('outcome_unknown')

    expect(await profit()).toMatchObject({ open_quantity: 0, working_orders: 1 })
  })

  it.each([
    ['orders', /^Strategy book unavailable: /],
    ['positions', /^Position book unavailable, cannot value open legs: /],
  ] as const)('says which book could not be read: %s', async (operation, message) => {
    const { desk, place, profit } = await open('live')
    await place({ quantity: 10 })
    // Only for an order that rests is the broker's order book asked.
    await place({ quantity: 10, pricetype: 'LIMIT', price: 700 })
    desk.service.brokers.plugins.faults().set([{ on: [operation], kind: 'fail' }])

    const body = await profit()

    expect(body.status).toBe('error')
    expect(body.message).toMatch(message)
  })
})
