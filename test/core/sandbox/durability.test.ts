import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { orderOf, quoteOf, Rig, USER } from './harness.js'

let rig: Rig
beforeEach(async () => {
  rig = await Rig.open()
  rig.price(250)
})
afterEach(() => rig.close())

/** Stops the file from growing: SQLite then reports a full disk. */
async function fillDisk(): Promise<void> {
  await rig.db.write((tx) => tx.exec('pragma max_page_count = 1'))
}

async function freeDisk(): Promise<void> {
  await rig.db.write((tx) => tx.exec('pragma max_page_count = 1000000'))
}

/** Too large for the free pages. */
const BULKY = 'x'.repeat(20_000)

/** Holds the writer until released, as a slow disk would. */
function stallDisk(): () => void {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  rig.db.write(() => gate).catch(() => undefined)
  return release
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

describe('durability', () => {
  it('answers and publishes only after the commit', async () => {
    const release = stallDisk()
    let answered = false
    const placed = rig.place({}).then((outcome) => {
      answered = true
      return outcome
    })
    let shown = false
    const funds = rig.funds().then(() => {
      shown = true
    })
    await turns(20)
    expect({ answered, shown, events: rig.events }).toEqual({ answered: false, shown: false, events: [] })
    release()
    expect(await placed).toMatchObject({ ok: true })
    await funds
    expect(rig.events.map(({ topic }) => topic)).toEqual(['order.update', 'sandbox.order_filled'])
  })

  it('commits an order, its trade, position and funds together', async () => {
    await rig.trade('BUY', 10, 250)
    await fillDisk()
    const before = await rig.dump()
    await expect(rig.place({ strategy: BULKY })).rejects.toMatchObject({ code: 'storage_full' })
    expect(await rig.dump()).toEqual(before)
    await freeDisk()
  })

  it('refuses on a full disk, drops unstored changes, and recovers when there is space', async () => {
    await rig.trade('BUY', 10, 250)
    const waiting = await rig.accepted({ action: 'SELL', priceType: 'LIMIT', price: 260, quantity: 4 })
    const funds = await rig.funds()
    rig.events.length = 0
    await fillDisk()

    const attempts = Array.from({ length: 20 }, () => rig.place({ strategy: BULKY }))
    for (const attempt of await Promise.allSettled(attempts)) expect(attempt.status).toBe('rejected')
    expect(await rig.funds()).toEqual(funds)
    expect(await rig.position()).toMatchObject({ quantity: 10 })
    expect(rig.events).toEqual([])

    await freeDisk()
    await rig.tick(261)
    expect(await rig.status(waiting)).toBe('complete 260.00')
    expect(await rig.place({ strategy: BULKY })).toMatchObject({ ok: true })
    expect(await rig.db.queryRaw('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
  })

  it('serves reads while the disk refuses the orders of others', async () => {
    await rig.trade('BUY', 10, 250)
    const reads = {
      funds: () => rig.funds(),
      orderbook: () => rig.sandbox.books.orderbook('asha'),
      tradebook: () => rig.sandbox.books.tradebook('asha'),
      positions: () => rig.sandbox.books.positions('asha'),
      holdings: () => rig.sandbox.books.holdings('asha'),
      gtts: () => rig.sandbox.gtt.list('asha'),
      settings: () => rig.sandbox.settings(),
      preview: () => rig.sandbox.preview('asha', orderOf({})),
      csv: () => rig.sandbox.reports.csv('asha', 'trades'),
    }
    const before = await Promise.all(Object.values(reads).map((read) => read()))
    await fillDisk()
    for (let round = 0; round < 3; round++) {
      const doomed = Promise.allSettled([rig.place({ strategy: BULKY }), rig.place({ strategy: BULKY })])
      // The orders are decided now, and the reads below include them.
      await turns(1)
      const during = Object.entries(reads).map(async ([name, read]) => [name, await read()])
      const wanted = Object.keys(reads).map((name, index) => [name, before[index]])
      expect(await Promise.all(during)).toEqual(wanted)
      for (const { status } of await doomed) expect(status).toBe('rejected')
    }
    await freeDisk()
  })

  it('fails decisions that were made on a state that was never stored', async () => {
    await fillDisk()
    const release = stallDisk()
    const doomed = rig.place({ strategy: BULKY, quantity: 40 })
    await turns(3)
    // Small enough to fit, but it would sell shares that the first order never bought.
    const dependent = rig.place({ action: 'SELL', quantity: 40 })
    await turns(3)
    release()
    await expect(doomed).rejects.toMatchObject({ code: 'storage_full' })
    await expect(dependent).rejects.toMatchObject({ code: 'storage_full' })
    await freeDisk()
    expect((await rig.sandbox.books.positions('asha')).positions).toEqual([])
    expect((await rig.funds()).utiliseddebits).toBe(0)
  })

  it('fails an order that shares its commit with an amount that the ledger cannot store', async () => {
    await rig.trade('BUY', 10, 250)
    const before = await rig.dump()
    const outcomes = await Promise.allSettled([rig.sandbox.endow(USER, 1e12), rig.place({ quantity: 4 })])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await rig.dump()).toEqual(before)
    expect(await rig.position()).toMatchObject({ quantity: 10 })
    expect(await rig.place({ quantity: 4 })).toMatchObject({ ok: true })
    await rig.reboot()
    expect(await rig.position()).toMatchObject({ quantity: 14 })
  })

  it('is the same after a restart', async () => {
    await rig.trade('BUY', 100, 50)
    await rig.trade('SELL', 30, 55)
    await rig.trade('BUY', 7, 83.7425, { symbol: 'USDINR30MAR26FUT', exchange: 'CDS', product: 'NRML' })
    await rig.accepted({ priceType: 'LIMIT', price: 20 })
    await rig.accepted({ action: 'SELL', priceType: 'SL', triggerPrice: 19, price: 18 })
    await rig.place({ action: 'SELL', product: 'CNC' })
    const look = async () => ({
      dump: await rig.dump(),
      funds: await rig.funds(),
      positions: await rig.sandbox.books.positions('asha'),
      orders: await rig.sandbox.books.orderbook('asha'),
      trades: await rig.sandbox.books.tradebook('asha'),
      watched: rig.market.watched,
    })
    const before = await look()
    await rig.reboot()
    expect(await look()).toEqual(before)
    expect(before.orders.statistics).toEqual({
      total_buy_orders: 3,
      total_sell_orders: 3,
      total_completed_orders: 3,
      total_open_orders: 1,
      total_rejected_orders: 1,
      total_trigger_pending_orders: 1,
    })
  })
})

describe('order ids', () => {
  it('are fourteen digits of the date and never repeat, also over restarts', async () => {
    const ids = new Set<string>()
    for (let start = 0; start < 3; start++) {
      for (let count = 0; count < 2_000; count++) ids.add(rig.sandbox.newOrderId())
      const last = rig.sandbox.newOrderId()
      ids.add(last)
      await rig.sandbox.place('asha', orderOf({ quantity: 1 }), { orderId: last })
      await rig.reboot()
    }
    expect(ids.size).toBe(3 * 2_001)
    for (const id of ids) expect(id).toMatch(/^260312\d{8}$/)
  })

  it('place an order once, however often they are used, also across restarts', async () => {
    const orderId = rig.sandbox.newOrderId()
    const order = orderOf({ quantity: 3 })
    const same = await Promise.all(
      Array.from({ length: 16 }, () => rig.sandbox.place('asha', order, { orderId })),
    )
    expect(new Set(same.map((outcome) => JSON.stringify(outcome)))).toEqual(
      new Set([JSON.stringify({ ok: true, orderId })]),
    )
    expect(await rig.sandbox.place('asha', order, { orderId })).toEqual({ ok: true, orderId })
    await rig.reboot()
    const later = await Promise.all([1, 2].map(() => rig.sandbox.place('asha', order, { orderId })))
    expect(later).toEqual([
      { ok: true, orderId },
      { ok: true, orderId },
    ])
    expect(await rig.position()).toMatchObject({ quantity: 3 })
    await expect(rig.sandbox.place('ravi', order, { orderId })).rejects.toMatchObject({ code: 'conflict' })
  })

  it('from before a crash that were never stored can still be used after it', async () => {
    const orderId = rig.sandbox.newOrderId()
    await rig.clock.advance(200)
    await rig.reboot()
    expect(rig.sandbox.newOrderId()).not.toBe(orderId)
    expect(await rig.sandbox.place('asha', orderOf({}), { orderId })).toEqual({ ok: true, orderId })
  })

  it('repeat the refusal of a rejected order', async () => {
    const orderId = rig.sandbox.newOrderId()
    const order = orderOf({ action: 'SELL', product: 'CNC' })
    const first = await rig.sandbox.place('asha', order, { orderId })
    await rig.reboot()
    expect(await rig.sandbox.place('asha', order, { orderId })).toEqual(first)
    expect((await rig.sandbox.books.orderbook('asha')).orders).toHaveLength(1)
  })
})

describe('ticks and requests at the same time', () => {
  it('fill each order once', async () => {
    let seed = 11
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      return (seed >>> 8) % below
    }
    const ids: string[] = []
    const work: Promise<unknown>[] = []
    for (let step = 0; step < 600; step++) {
      const price = 245 + random(10)
      if (random(3) === 0) {
        rig.market.tick(quoteOf({ symbol: 'SBIN', exchange: 'NSE' }, price))
      } else if (random(4) === 0 && ids.length > 0) {
        work.push(rig.sandbox.cancel('asha', ids[random(ids.length)] ?? ''))
      } else {
        const action = random(2) === 0 ? 'BUY' : 'SELL'
        const priceType = (['MARKET', 'LIMIT', 'SL', 'SL-M'] as const)[random(4)]
        const orderId = rig.sandbox.newOrderId()
        ids.push(orderId)
        const order = orderOf({
          action,
          priceType,
          price: 240 + random(20),
          triggerPrice: 240 + random(20),
          quantity: 1 + random(9),
        })
        work.push(rig.sandbox.place('asha', order, { orderId }))
      }
      if (random(5) === 0) await turns(random(3))
    }
    await Promise.all(work)
    await rig.sandbox.stop()
    const { orders = [], trades = [], positions = [] } = await rig.dump()
    const filled = orders
      .filter((order) => Object(order).status === 'complete')
      .map((order) => String(Object(order).order_id))
    const traded = trades.map((trade) => String(Object(trade).order_id))
    expect(traded.sort()).toEqual(filled.sort())
    expect(traded.length).toBeGreaterThan(100)
    const net = trades.reduce<number>((sum, trade) => {
      const { action, quantity } = Object(trade)
      return sum + (action === 'BUY' ? Number(quantity) : -Number(quantity))
    }, 0)
    expect(Object(positions[0]).quantity).toBe(net)
    const announced = rig.events.filter(({ topic }) => topic === 'sandbox.order_filled')
    expect(announced).toHaveLength(traded.length)
  })
})
