import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { orderOf, startRig } from './rig.js'

let rig: Awaited<ReturnType<typeof startRig>>
beforeEach(async () => {
  rig = await startRig()
})
afterEach(() => rig.close())

describe('portfolio', () => {
  it('funds add both segments: cash is net plus debits minus collateral', async () => {
    expect(await rig.client.portfolio.funds()).toEqual({
      availableCash: '1001000.50',
      collateral: '50000.00',
      unrealized: '0.00',
      realized: '0.00',
      utilized: '25000.25',
    })
  })

  it('profit is realised once a position is closed, and unrealised while it is open', async () => {
    await rig.client.orders.place(orderOf({ quantity: 10 }), 'A')
    await rig.client.orders.place(orderOf({ symbol: 'SBIN', quantity: 4 }), 'B')
    rig.fake.setPrice('NSE:INFY', 1502.5)
    rig.fake.setPrice('NSE:SBIN', 798)
    await rig.client.orders.place(orderOf({ action: 'SELL', quantity: 10 }), 'C')
    expect(await rig.client.portfolio.positions()).toMatchObject([
      { symbol: 'INFY', quantity: 0, pnl: 25, realized: 25, unrealized: 0 },
      { symbol: 'SBIN', quantity: 4, averagePrice: 800, ltp: 798, pnl: -8, realized: 0, unrealized: -8 },
    ])
    expect(await rig.client.portfolio.funds()).toMatchObject({ realized: '25.00', unrealized: '-8.00' })
  })

  it('bought shares that are not settled yet are holdings', async () => {
    expect(await rig.client.portfolio.holdings()).toEqual([
      {
        symbol: 'TCS',
        exchange: 'NSE',
        product: 'CNC',
        quantity: 12,
        openingQuantity: 12,
        averagePrice: 3000,
        ltp: 3500,
        pnl: 6000,
      },
    ])
  })

  it.each([
    ['contains', false],
    ['lacks', true],
  ])(
    'shares that are sold today leave the holdings once, if the opening quantity %s those of yesterday',
    async (_, openingIsDelivered) => {
      rig.fake.portfolio.openingIsDelivered = openingIsDelivered
      expect(await rig.client.portfolio.holdings()).toMatchObject([{ quantity: 12, openingQuantity: 12 }])
      for (const [sold, quantity] of [
        [4, 4],
        [11, 7],
      ] as const) {
        await rig.client.orders.place(
          orderOf({ symbol: 'TCS', product: 'CNC', action: 'SELL', quantity }),
          `A${sold}`,
        )
        expect(await rig.client.portfolio.holdings()).toMatchObject([
          { quantity: 12 - sold, openingQuantity: 12 },
        ])
        expect(await rig.client.portfolio.positions()).toMatchObject([{ symbol: 'TCS', quantity: -sold }])
      }
    },
  )

  it('shares bought with margin funding are a holding of their own, with their own cost', async () => {
    rig.fake.portfolio.fundedShares = 5
    expect(await rig.client.portfolio.holdings()).toMatchObject([
      { symbol: 'TCS', product: 'CNC', quantity: 12, averagePrice: 3000, pnl: 6000 },
      { symbol: 'TCS', product: 'MTF', quantity: 5, averagePrice: 3400, pnl: 500 },
    ])
  })

  it('trades use the full fill time, not the time of day beside it', async () => {
    await rig.client.orders.place(orderOf(), 'A')
    const [trade] = await rig.client.orders.trades()
    expect(Math.abs((trade?.timestamp ?? 0) - rig.context.clock.now())).toBeLessThan(60_000)
  })

  it('an order filled in parts has one trade per part', async () => {
    rig.fake.book.progress.fills = 3
    await rig.client.orders.place(orderOf({ quantity: 10 }), 'A')
    expect((await rig.client.orders.trades()).map((trade) => trade.quantity)).toEqual([3, 3, 4])
  })
})
