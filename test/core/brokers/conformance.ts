import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BrokerOrder } from '../../../src/core/brokers/broker.js'
import { EXCHANGES } from '../../../src/core/instruments/schema.js'
import type { Quote, SymbolRef, Tick } from '../../../src/core/market/schema.js'
import { ORDER_STATUSES, type OrderRequest } from '../../../src/core/orders/schema.js'
import { istDate, istInstant } from '../../../src/core/time/index.js'
import { byTag } from './by-tag.js'
import { Bench } from './conformance/bench.js'
import { GAPS, type Gaps, type TestedPlugin } from './conformance/gaps.js'
import { GTT_CASES } from './conformance/gtt-cases.js'
import { ORDER_CASES } from './conformance/order-cases.js'
import { type CaseId, PROMISES } from './conformance/promises.js'
import type { ConformanceRig } from './conformance/rig.js'
import { WIRE_CASES } from './conformance/wire-cases.js'

const UNKNOWN: SymbolRef = { symbol: 'NOSUCHSYMBOL', exchange: 'NSE' }

/**
 * The promises of `broker.ts` as the same numbered cases for every plugin. `setup` creates a fresh account
 * without trades. What a broker cannot keep is declared in `conformance/gaps.ts`.
 */
export function runBrokerConformance(name: TestedPlugin, setup: () => Promise<ConformanceRig>): void {
  const gaps: Gaps = GAPS[name]
  const promise = (id: CaseId, run: () => Promise<void>) => {
    const title = `${id} ${PROMISES[id]}`
    const gap = gaps[id]
    if (gap === undefined) it(title, run)
    else it.skip(`${title} (gap: ${gap})`)
  }
  describe(`broker contract: ${name}`, () => {
    const bench = new Bench()
    let rig: ConformanceRig
    beforeEach(async () => {
      rig = await setup()
      bench.use(rig)
    })
    afterEach(() => rig.close())

    const order = (changes: Partial<OrderRequest> = {}) => bench.order(changes)
    const ltp = () => bench.ltp()
    const resting = () => bench.resting()
    const until: Bench['until'] = (probe) => bench.until(probe)
    const settled: Bench['settled'] = (orderId, status) => bench.settled(orderId, status)
    const refusal: Bench['refusal'] = (call) => bench.refusal(call)

    promise('01', async () => {
      const { manifest } = rig.plugin
      expect(manifest.id).toMatch(/^[a-z][a-z0-9-]*$/)
      expect(manifest.displayName).not.toBe('')
      for (const exchange of manifest.exchanges) expect(EXCHANGES).toContain(exchange)
      expect(manifest.products.length).toBeGreaterThan(0)
      expect(manifest.priceTypes).toContain('MARKET')
      expect(manifest.quotes.maxBatch).toBeGreaterThan(0)
      for (const windows of Object.values(manifest.rateLimits)) {
        if (typeof windows === 'string') {
          expect(Object.keys(manifest.rateLimits)).toContain(windows)
          continue
        }
        for (const window of windows) expect(Math.min(window.count, window.perMs)).toBeGreaterThan(0)
      }
    })

    promise('02', async () => {
      const { manifest } = rig.plugin
      expect(rig.client.ticks !== undefined).toBe(manifest.streaming !== undefined)
      expect(rig.client.gtts !== undefined).toBe(manifest.gtt !== undefined)
      expect(rig.client.orderEvents !== undefined).toBe(manifest.orderUpdates !== 'none')
    })

    promise('03', async () => {
      const wanted = order()
      const { orderId } = await rig.client.orders.place(wanted, 'conf03')
      expect(orderId).not.toBe('')
      const row = await settled(orderId, 'complete')
      expect(row).toMatchObject({
        symbol: wanted.symbol,
        exchange: wanted.exchange,
        action: 'BUY',
        quantity: wanted.quantity,
        product: 'MIS',
        priceType: 'MARKET',
        filledQuantity: wanted.quantity,
        pendingQuantity: 0,
      })
      expect(row.averagePrice).toBeGreaterThan(0)
      expect(ORDER_STATUSES).toContain(row.status)
      expect(Math.abs(row.timestamp - rig.context.clock.now())).toBeLessThan(86_400_000)
    })

    promise('04', async () => {
      const first = await rig.client.orders.place(order(), 'conf04A')
      await rig.client.orders.place(order(), 'conf04B')
      expect((await byTag(rig.client, 'conf04A'))?.orderId).toBe(first.orderId)
      expect((await byTag(rig.client, 'conf04A'))?.tag).toBe('conf04A')
      expect(await byTag(rig.client, 'conf04C')).toBeUndefined()
      const listed = (await rig.client.orders.list()).find(({ orderId }) => orderId === first.orderId)
      expect(listed?.tag).toBe('conf04A')
    })

    promise('05', async () => {
      const last = await ltp()
      const limit = Math.floor(last * 0.95)
      const trigger = Math.ceil(last * 1.05)
      const cases = {
        MARKET: { price: 0, triggerPrice: 0, status: 'complete' },
        LIMIT: { price: limit, triggerPrice: 0, status: 'open' },
        SL: { price: trigger + 1, triggerPrice: trigger, status: 'trigger pending' },
        'SL-M': { price: 0, triggerPrice: trigger, status: 'trigger pending' },
      } as const
      for (const priceType of rig.plugin.manifest.priceTypes) {
        const { status, ...prices } = cases[priceType]
        const placed = await rig.client.orders.place(
          order({ priceType, ...prices }),
          `conf05${priceType.replace('-', '')}`,
        )
        const row = await settled(placed.orderId, status)
        expect(row.priceType).toBe(priceType)
        if (prices.price > 0) expect(row.price).toBe(prices.price)
        if (prices.triggerPrice > 0) expect(row.triggerPrice).toBe(prices.triggerPrice)
      }
    })

    promise('06', async () => {
      const wanted = await resting()
      const { orderId } = await rig.client.orders.place(wanted, 'conf06')
      await settled(orderId, 'open')
      const changed = { ...wanted, price: wanted.price - 1, quantity: wanted.quantity * 2 }
      expect(await rig.client.orders.modify(orderId, changed)).toEqual({ orderId })
      const row = await until(async () =>
        (await rig.client.orders.list()).find(
          (each) => each.orderId === orderId && each.price === changed.price,
        ),
      )
      expect(row.quantity).toBe(changed.quantity)
      expect(await rig.client.orders.cancel(orderId)).toEqual({ orderId })
      expect((await settled(orderId, 'cancelled')).filledQuantity).toBe(0)
    })

    promise('07', async () => {
      const { orders } = rig.client
      for (const send of [() => orders.cancel('999'), () => orders.modify('999', order())]) {
        const error = await refusal(send())
        // A plugin that must name more than the id finds in the book that there is nothing to name.
        expect(error.kind).toBe('not_found')
        expect(['yes', 'never']).toContain(error.sent)
      }
    })

    promise('08', async () => {
      const { orderId } = await rig.client.orders.place(order(), 'conf08')
      await settled(orderId, 'complete')
      expect((await refusal(rig.client.orders.cancel(orderId))).sent).toBe('yes')
    })

    promise('09', async () => {
      const error = await refusal(rig.client.orders.place(order({ symbol: UNKNOWN.symbol }), 'conf09'))
      expect(error.sent).not.toBe('maybe')
      // Some brokers keep what they refuse.
      const kept = await byTag(rig.client, 'conf09')
      expect(kept ?? { status: 'rejected', filledQuantity: 0 }).toMatchObject({
        status: 'rejected',
        filledQuantity: 0,
      })
    })

    promise('10', async () => {
      const quantity = rig.instruments.cash.lot * 4
      const { orderId } = await rig.client.orders.place(order({ quantity }), 'conf10')
      await settled(orderId, 'complete')
      const trades = (await rig.client.orders.trades()).filter((trade) => trade.orderId === orderId)
      expect(trades.reduce((sum, trade) => sum + trade.quantity, 0)).toBe(quantity)
      expect(new Set(trades.map((trade) => trade.tradeId)).size).toBe(trades.length)
      for (const trade of trades) {
        expect(trade).toMatchObject({ action: 'BUY', product: 'MIS', symbol: rig.instruments.cash.symbol })
        expect(trade.price).toBeGreaterThan(0)
        expect(trade.timestamp).toBeGreaterThan(0)
      }
    })

    promise('11', async () => {
      const { symbol, exchange, lot } = rig.instruments.cash
      const held = async () =>
        (await rig.client.portfolio.positions()).find(
          (row) => row.symbol === symbol && row.exchange === exchange,
        )
      const bought = await rig.client.orders.place(order({ quantity: lot * 3 }), 'conf11A')
      await settled(bought.orderId, 'complete')
      expect(await held()).toMatchObject({ quantity: lot * 3, product: 'MIS' })
      const sold = await rig.client.orders.place(order({ action: 'SELL', quantity: lot * 3 }), 'conf11B')
      await settled(sold.orderId, 'complete')
      expect(await held()).toMatchObject({ quantity: 0, unrealized: 0 })
    })

    promise('12', async () => {
      const { symbol, exchange, lot } = rig.instruments.derivative
      const venue = EXCHANGES.find((known) => known === exchange) ?? 'NFO'
      const short = order({ symbol, exchange: venue, action: 'SELL', quantity: lot, product: 'NRML' })
      const { orderId } = await rig.client.orders.place(short, 'conf12')
      await settled(orderId, 'complete')
      const row = (await rig.client.portfolio.positions()).find((each) => each.symbol === symbol)
      expect(row).toMatchObject({ exchange, quantity: -lot, product: 'NRML' })
    })

    promise('13', async () => {
      const funds = await rig.client.portfolio.funds()
      expect(Object.keys(funds).sort()).toEqual([
        'availableCash',
        'collateral',
        'realized',
        'unrealized',
        'utilized',
      ])
      for (const amount of Object.values(funds)) expect(amount).toMatch(/^-?\d+\.\d{2}$/)
    })

    promise('14', async () => {
      for (const row of await rig.client.portfolio.holdings()) {
        expect(row.symbol).not.toBe('')
        for (const value of [row.quantity, row.averagePrice, row.ltp, row.pnl])
          expect(Number.isFinite(value)).toBe(true)
        expect(row.openingQuantity).toBeGreaterThanOrEqual(row.quantity)
      }
    })

    promise('15', async () => {
      const { cash, other, index } = rig.instruments
      const answers = await rig.client.market.quotes([other, UNKNOWN, cash, index, other])
      expect(answers.map((answer) => (isQuote(answer) ? answer.symbol : 'error'))).toEqual([
        other.symbol,
        'error',
        cash.symbol,
        index.symbol,
        other.symbol,
      ])
      for (const answer of answers.filter(isQuote)) {
        expect(answer.ltp).toBeGreaterThan(0)
        expect(answer.low).toBeLessThanOrEqual(answer.high)
      }
    })

    promise('16', async () => {
      const { depth } = await rig.client.market.depth(rig.instruments.cash)
      expect(depth.buy.length).toBeGreaterThan(0)
      expect(Math.max(depth.buy.length, depth.sell.length)).toBeLessThanOrEqual(
        Math.max(...(rig.plugin.manifest.streaming?.depthLevels ?? [5])),
      )
      const bids = depth.buy.map((level) => level.price)
      const asks = depth.sell.map((level) => level.price)
      expect(bids).toEqual([...bids].sort((a, b) => b - a))
      expect(asks).toEqual([...asks].sort((a, b) => a - b))
      expect(bids[0] ?? 0).toBeLessThan(asks[0] ?? Number.POSITIVE_INFINITY)
    })

    promise('17', async () => {
      const { from, to } = rig.history
      for (const interval of rig.client.market.intervals) {
        const bars = await rig.client.market.history({ ...rig.instruments.cash, interval, from, to })
        expect(bars.length).toBeGreaterThan(0)
        const times = bars.map((bar) => bar.timestamp)
        expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
        expect((times[0] ?? 0) * 1000).toBeGreaterThanOrEqual(istInstant(from))
        expect(istDate((times.at(-1) ?? 0) * 1000) <= to).toBe(true)
        for (const bar of bars) expect(bar.low).toBeLessThanOrEqual(Math.min(bar.open, bar.close))
      }
    })

    promise('18', async () => {
      const { from, to } = rig.history
      await refusal(rig.client.market.history({ ...rig.instruments.cash, interval: '7m', from, to }))
      await refusal(rig.client.market.history({ ...UNKNOWN, interval: 'D', from, to }))
      await refusal(rig.client.market.depth(UNKNOWN))
    })

    promise('19', async () => {
      const feed = rig.client.ticks
      if (!feed) return
      const ticks: Tick[] = []
      await feed.open((tick) => ticks.push(tick))
      feed.subscribe([rig.instruments.cash], 3)
      feed.subscribe([rig.instruments.other], 2)
      const seen = (symbol: string) => ticks.findLast((tick) => tick.symbol === symbol)
      const full = await until(async () => {
        await rig.stir()
        return seen(rig.instruments.other.symbol) && seen(rig.instruments.cash.symbol)
      })
      expect(full.ltp).toBeGreaterThan(0)
      expect(full.depth?.buy.length).toBeGreaterThan(0)
      feed.unsubscribe([rig.instruments.cash])
      for (let turn = 0; turn < 5; turn++) await rig.wait()
      ticks.length = 0
      await until(async () => {
        await rig.stir()
        return seen(rig.instruments.other.symbol)
      })
      expect(seen(rig.instruments.cash.symbol)).toBeUndefined()
    })

    promise('20', async () => {
      const feed = rig.client.orderEvents
      if (!feed) return
      const updates: BrokerOrder[] = []
      await feed.open((update) => updates.push(update))
      const { orderId } = await rig.client.orders.place(order(), 'conf20')
      const final = await until(() =>
        updates.find((update) => update.orderId === orderId && update.status === 'complete'),
      )
      expect(final).toMatchObject({ symbol: rig.instruments.cash.symbol, tag: 'conf20', pendingQuantity: 0 })
    })

    promise('21', async () => {
      const keys = new Set<string>()
      let rows = 0
      for await (const batch of rig.plugin.instruments.download(rig.session, rig.context)) {
        for (const row of batch) {
          rows++
          keys.add(`${row.exchange}:${row.symbol}`)
          expect(EXCHANGES).toContain(row.exchange)
        }
      }
      expect(keys.size).toBe(rows)
      for (const ref of [rig.instruments.cash, rig.instruments.index, rig.instruments.derivative]) {
        expect(keys).toContain(`${ref.exchange}:${ref.symbol}`)
      }
    })

    promise('22', async () => {
      await rig.client.close()
      await rig.client.close()
      const error = await refusal(rig.client.orders.place(order(), 'conf22'))
      expect(error.sent).toBe('never')
    })

    promise('23', async () => {
      const { symbol, exchange, lot } = rig.instruments.derivative
      const venue = EXCHANGES.find((known) => known === exchange) ?? 'NFO'
      const carried = order({ symbol, exchange: venue, quantity: lot, product: 'NRML' })
      const held = async () => {
        const row = (await rig.client.portfolio.positions()).find((each) => each.symbol === symbol)
        if (!row) throw new Error('the position is gone')
        return row
      }
      const bought = await rig.client.orders.place(carried, 'conf23A')
      await settled(bought.orderId, 'complete')
      const first = await held()
      expect(first.dayPnl).toBeCloseTo(first.pnl, 2)

      const previousClose = await rig.nextDay()
      const open = await held()
      expect(open.quantity).toBe(lot)
      expect(open.ltp).not.toBe(previousClose)
      expect(open.dayPnl).toBeCloseTo((open.ltp - previousClose) * lot, 2)

      const sold = await rig.client.orders.place({ ...carried, action: 'SELL' }, 'conf23B')
      await settled(sold.orderId, 'complete')
      const price = (await rig.client.orders.trades()).find(({ orderId }) => orderId === sold.orderId)?.price
      expect((await held()).dayPnl).toBeCloseTo(((price ?? 0) - previousClose) * lot, 2)
    })

    for (const { id, run } of [...ORDER_CASES, ...GTT_CASES, ...WIRE_CASES]) promise(id, () => run(bench))
  })
}

function isQuote(answer: Quote | { error: string } | undefined): answer is Quote {
  return answer !== undefined && !('error' in answer)
}
