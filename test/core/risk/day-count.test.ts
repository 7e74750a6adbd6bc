import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../src/core/brokers/simulated/index.js'
import type { PlaceGttPayload } from '../../../src/core/orders/index.js'
import { BASKET_ORDER } from '../../../src/core/orders/multi/basket.js'
import { toOrderRequest } from '../../../src/core/orders/schema.js'
import type { TradingMode } from '../../../src/core/trading/index.js'
import { payloadOf, TestDesk, USER } from '../../support/desk/desk.js'

const CONTEXT = { userId: USER, source: 'api' as const }
const GTT: PlaceGttPayload = {
  strategy: 't',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  product: 'CNC',
  quantity: 5,
  pricetype: 'LIMIT',
  trigger_type: 'SINGLE',
  trigger_price: 700,
  price: 690,
  triggerprice_sl: 700,
  triggerprice_tg: null,
  stoploss: null,
  target: null,
  expires_at: null,
}

/** A desk with the rule set, far from its limit, so that it counts. */
async function counting(mode: TradingMode): Promise<TestDesk> {
  const desk = await TestDesk.open()
  if (mode === 'analyze') {
    await desk.service.sandbox.start()
    await desk.service.settings.setAnalyzeMode(true)
  }
  await desk.service.risk.change({ max_orders_per_day: 1000 }, USER)
  return desk
}

/** Returns the gate's count: the refusal of a limit of one contains it. */
async function counted({ service: { risk } }: TestDesk, mode: TradingMode): Promise<number> {
  await risk.change({ max_orders_per_day: 1 }, USER)
  const order = toOrderRequest(payloadOf({ pricetype: 'LIMIT', price: 1 }))
  const check = (await risk.explain(USER, mode, order)).find(({ rule }) => rule === 'max_orders_per_day')
  await risk.change({ max_orders_per_day: 1000 }, USER)
  return Number(/^\d+/.exec(check?.message ?? '0')?.[0])
}

const fault = (kind: FaultRule['kind'], on: FaultRule['on'] = ['place']): FaultRule => ({ on, kind })

const basket = (...symbols: string[]) => ({
  strategy: 't',
  orders: symbols.map((symbol) => {
    const { strategy: _, ...line } = payloadOf({ symbol })
    return line
  }),
})

/** Queues an order and approves it. */
async function approved(desk: TestDesk, fields: Parameters<typeof payloadOf>[0] = {}): Promise<void> {
  await desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
  const id = Number((await desk.place(fields)).body.pending_order_id)
  await desk.service.approvals.approve(USER, id, USER).catch(() => undefined)
}

interface Case {
  name: string
  /** Acts on the desk; the row says how many of its orders count. */
  act(desk: TestDesk): Promise<unknown>
  counts: number
}

const LIVE: Case[] = [
  { name: 'an order the broker has', act: (desk) => desk.place(), counts: 1 },
  {
    name: 'an order the broker refused',
    act: (desk) => {
      desk.service.brokers.plugins.faults().set([fault('fail')])
      return desk.place()
    },
    counts: 1,
  },
  {
    name: 'an order in doubt',
    act: (desk) => {
      desk.service.brokers.plugins.faults().set([fault('lose_answer')])
      return desk.place()
    },
    counts: 1,
  },
  {
    name: 'an order in doubt that the broker’s book knows nothing of',
    act: async (desk) => {
      desk.service.brokers.plugins.faults().set([fault('lose_request')])
      await desk.place()
      await desk.service.reconciler.searchNow()
    },
    counts: 1,
  },
  { name: 'an approved order', act: (desk) => approved(desk), counts: 1 },
  {
    name: 'every order of a basket',
    act: (desk) => desk.settled(desk.orders.multi.submit(BASKET_ORDER, basket('SBIN', 'SBIN'), CONTEXT)),
    counts: 2,
  },
  { name: 'a GTT', act: (desk) => desk.orders.gtts.place(GTT, CONTEXT), counts: 1 },
  {
    name: 'no order without a broker session',
    act: async (desk) => {
      await desk.service.brokers.logout()
      for (let n = 0; n < 3; n += 1) await desk.place().catch(() => undefined)
      await approved(desk)
      await desk.orders.gtts.place(GTT, CONTEXT)
    },
    counts: 0,
  },
  {
    name: 'no order while the broker cannot be reached',
    act: async (desk) => {
      desk.service.brokers.plugins.faults().set([fault('refuse_connection', ['place', 'placeGtt'])])
      await desk.place()
      await desk.settled(desk.orders.multi.submit(BASKET_ORDER, basket('SBIN', 'SBIN'), CONTEXT))
      await desk.orders.gtts.place(GTT, CONTEXT)
      await approved(desk)
    },
    counts: 0,
  },
  {
    name: 'no GTT whose price nobody knows',
    act: (desk) => desk.orders.gtts.place({ ...GTT, symbol: 'NOSUCH' }, CONTEXT),
    counts: 0,
  },
  {
    name: 'no order that closes a position',
    act: async (desk) => {
      await desk.place()
      await desk.settled(desk.orders.changes.close({ strategy: 't' }, CONTEXT))
    },
    counts: 1,
  },
]

const ANALYZE: Case[] = [
  { name: 'an order in the book', act: (desk) => desk.place(), counts: 1 },
  {
    name: 'an order the book has as rejected',
    act: (desk) => desk.place({ action: 'SELL', product: 'CNC' }),
    counts: 1,
  },
  { name: 'an approved order', act: (desk) => approved(desk), counts: 1 },
  {
    name: 'every order of a basket that is in the book',
    act: (desk) =>
      desk.settled(desk.orders.multi.submit(BASKET_ORDER, basket('SBIN', 'NOSUCH', 'SBIN'), CONTEXT)),
    counts: 2,
  },
  { name: 'a GTT', act: (desk) => desk.orders.gtts.place(GTT, CONTEXT), counts: 1 },
  {
    name: 'no unknown symbol',
    act: async (desk) => {
      await desk.place({ symbol: 'NOSUCH' })
      await desk.orders.gtts.place({ ...GTT, symbol: 'NOSUCH' }, CONTEXT)
      await approved(desk, { symbol: 'NOSUCH' })
    },
    counts: 0,
  },
  {
    name: 'no order that closes a position',
    act: async (desk) => {
      await desk.place()
      await desk.settled(desk.orders.changes.close({ strategy: 't' }, CONTEXT))
    },
    counts: 1,
  },
]

describe.each([
  ['live', LIVE],
  ['analyze', ANALYZE],
] as const)('the orders of a day (%s)', (mode, cases) => {
  test.each(cases)('count $name, before a restart and after it', async ({ act, counts }) => {
    const first = await counting(mode)
    // From here on the gate keeps the count and does not read the books.
    expect(await counted(first, mode)).toBe(0)
    await act(first)
    expect(await counted(first, mode)).toBe(counts)
    await first.close()
    const second = await TestDesk.open({ home: first.home, clock: first.clock })
    expect(await counted(second, mode)).toBe(counts)
  })
})
