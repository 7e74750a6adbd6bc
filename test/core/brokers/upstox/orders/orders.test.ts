import { describe, expect, it, onTestFinished } from 'vitest'
import { upstox } from '../../../../../src/core/brokers/upstox/index.js'
import { toOrder } from '../../../../../src/core/brokers/upstox/orders/rows.js'
import { orderRow } from '../../../../../src/core/brokers/upstox/wire.js'
import { VirtualClock } from '../../../../../src/core/time/index.js'
import { INFY, orderOf, SESSION, startRig } from '../rig.js'

async function open() {
  const rig = await startRig()
  onTestFinished(() => rig.close())
  return rig
}

describe('an order', () => {
  it('goes to the host of orders with all that Upstox asks for', async () => {
    const { client, fake } = await open()
    const order = orderOf({ priceType: 'SL', price: 1505, triggerPrice: 1504.5, product: 'CNC', quantity: 3 })
    const { orderId } = await client.orders.place(order, 'A1'.repeat(9))
    expect(fake.requests).toEqual(['POST /hft/v3/order/place'])
    expect(fake.book.row(orderId)).toMatchObject({
      ...{ instrument_token: INFY, transaction_type: 'BUY', product: 'D', order_type: 'SL', quantity: 3 },
      ...{ price: 1505, trigger_price: 1504.5, validity: 'DAY', is_amo: false, tag: 'A1'.repeat(9) },
    })
  })

  it('names a registered algorithm in a header, and no other one', async () => {
    const { client, fake } = await open()
    await client.orders.place(orderOf({ instructions: { algoId: 'ALGO1' } }), 'tag1')
    expect(fake.lastHeaders['x-algo-name']).toBe('ALGO1')
    await client.orders.place(orderOf(), 'tag2')
    expect(fake.lastHeaders['x-algo-name']).toBeUndefined()
  })

  it('with IOC that does not trade at once is cancelled', async () => {
    const { client } = await open()
    const order = orderOf({ priceType: 'LIMIT', price: 1400, instructions: { validity: 'IOC' } })
    const { orderId } = await client.orders.place(order, 'tag1')
    expect(await client.orders.order?.(orderId)).toMatchObject({ status: 'cancelled', pendingQuantity: 0 })
  })

  it('of which the market sees a part says so in the book, and one that it sees all of does not', async () => {
    const { client } = await open()
    const limit = { priceType: 'LIMIT', price: 1400, quantity: 10 } as const
    const hidden = await client.orders.place(orderOf({ ...limit, disclosedQuantity: 4 }), 'tag1')
    const whole = await client.orders.place(orderOf(limit), 'tag2')
    const rows = new Map((await client.orders.list()).map((row) => [row.orderId, row]))
    expect(rows.get(hidden.orderId)).toMatchObject({ disclosedQuantity: 4 })
    expect(rows.get(whole.orderId)).not.toHaveProperty('disclosedQuantity')
  })

  it('after market hours says so', async () => {
    const { client, fake } = await open()
    const { orderId } = await client.orders.place(orderOf({ instructions: { amo: true } }), 'tag1')
    expect(fake.book.row(orderId)).toMatchObject({ is_amo: true, variety: 'AMO' })
  })

  it.each([
    ['a tag that is no reference of ours', {}, 'with blanks', 'validation'],
    ['a tag that is too long', {}, 'A'.repeat(21), 'validation'],
    ['a life in minutes', { instructions: { validity: 'TTL', validityTtl: 5 } }, 'tag1', 'unsupported'],
    ['carried shares', { product: 'NRML' }, 'tag1', 'unsupported'],
    [
      'delivery of a contract',
      { symbol: 'NIFTY29JAN30FUT', exchange: 'NFO', product: 'CNC' },
      'tag1',
      'unsupported',
    ],
    [
      'a commodity of unknown size',
      { symbol: 'NEWMETAL31JAN30FUT', exchange: 'MCX', product: 'NRML' },
      'tag1',
      'unsupported',
    ],
    [
      'a currency of unknown size',
      { symbol: 'EURUSD29JAN30FUT', exchange: 'CDS', product: 'NRML' },
      'tag1',
      'unsupported',
    ],
    [
      'a part of a lot',
      { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', product: 'NRML', quantity: 15 },
      'tag1',
      'validation',
    ],
  ] as const)('with %s is never sent', async (_name, changes, tag, kind) => {
    const { client, fake } = await open()
    const order = orderOf(changes)
    await client.portfolio.positions()
    const placed = (async () => {
      await client.orders.preparePlace?.(order)
      return client.orders.place(order, tag)
    })()
    await expect(placed).rejects.toMatchObject({ kind, sent: 'never' })
    expect(fake.ledger.entries).toEqual([])
  })

  it('in lots needs the sizes in the positions, which preparing reads once', async () => {
    const { client, fake } = await open()
    const order = orderOf({ symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', product: 'NRML', quantity: 20 })
    await expect(client.orders.place(order, 'tag1')).rejects.toMatchObject({
      kind: 'unavailable',
      sent: 'never',
    })
    await client.orders.preparePlace?.(order)
    await client.orders.preparePlace?.(order)
    await client.orders.place(order, 'tag1')
    expect(fake.ledger.placed[0]?.fields).toMatchObject({ quantity: '2' })
    expect(fake.requests.filter((each) => each.endsWith('positions'))).toHaveLength(2)
  })
})

describe('a change', () => {
  it('has the whole quantity and keeps the validity, also of an order that this client did not send', async () => {
    const { client, context, fake } = await open()
    const order = orderOf({ priceType: 'LIMIT', price: 1400, quantity: 5 })
    const { orderId } = await client.orders.place(order, 'tag1')
    const placement = fake.book.placementOf(fake.exchange.order(orderId) ?? never())
    placement.validity = 'IOC'
    const next = upstox.connect(SESSION, context)
    await next.orders.prepareChange?.(orderId, 'modify')
    const before = fake.requests.length
    await next.orders.modify(orderId, { ...order, price: 1390, quantity: 8 })
    expect(fake.requests.slice(before)).toEqual(['PUT /hft/v3/order/modify'])
    expect(fake.book.row(orderId)).toMatchObject({
      quantity: 8,
      price: 1390,
      validity: 'IOC',
      pending_quantity: 8,
    })
    await next.close()
  })

  it('that cancels an order of an earlier connection needs no reading', async () => {
    const { client, context, fake } = await open()
    const { orderId } = await client.orders.place(orderOf({ priceType: 'LIMIT', price: 1400 }), 'tag1')
    const next = upstox.connect(SESSION, context)
    fake.script.set({ route: 'order', actions: ['5xx_before'] })
    await next.orders.prepareChange?.(orderId, 'cancel')
    await next.orders.cancel(orderId)
    expect(await client.orders.list()).toMatchObject([{ orderId, status: 'cancelled' }])
    await next.close()
  })

  it('of a partly filled order counts what is filled, and cannot be below it', async () => {
    const { client, fake } = await open()
    const order = orderOf({ priceType: 'LIMIT', price: 1400, quantity: 10 })
    const { orderId } = await client.orders.place(order, 'tag1')
    fake.exchange.fillPart(orderId, 4)
    await client.orders.modify(orderId, { ...order, quantity: 12 })
    const row = { status: 'open', quantity: 12, filledQuantity: 4, pendingQuantity: 8 }
    expect(await client.orders.order?.(orderId)).toMatchObject(row)
    const below = client.orders.modify(orderId, { ...order, quantity: 4 })
    await expect(below).rejects.toMatchObject({ kind: 'rejected', sent: 'yes' })
  })

  it('to the market sends no price', async () => {
    const { client } = await open()
    const order = orderOf({ priceType: 'LIMIT', price: 1400 })
    const { orderId } = await client.orders.place(order, 'tag1')
    await client.orders.modify(orderId, orderOf())
    expect(await client.orders.order?.(orderId)).toMatchObject({ status: 'complete', priceType: 'MARKET' })
  })
})

describe('a search by tag', () => {
  it('looks into the history of the tag where the book lags behind', async () => {
    const { client, fake } = await open()
    const { orderId } = await client.orders.place(orderOf(), 'tag1')
    fake.book.lags = true
    const found = await client.orders.findByTags(['tag1', 'tag2'])
    expect([...found]).toEqual([
      ['tag1', expect.objectContaining({ orderId, status: 'complete', filledQuantity: 1 })],
    ])
  })

  it('asks for the history of a tag every five minutes at most', async () => {
    const clock = new VirtualClock('2026-11-27T11:00:00+05:30')
    const { client, close, fake } = await startRig(clock)
    onTestFinished(close)
    const asked = async () => {
      await client.orders.findByTags(['tag1'])
      return fake.requests.filter((each) => each.endsWith('history')).length
    }
    expect([await asked(), await asked()]).toEqual([1, 1])
    await clock.advance(5 * 60_000)
    expect(await asked()).toBe(2)
  })

  it('takes the accepted one of several orders with one tag', async () => {
    const { client, context, fake } = await open()
    fake.script.set({ route: 'place', actions: ['late_reject:no funds'] })
    await client.orders.place(orderOf(), 'tag1')
    const { orderId } = await client.orders.place(orderOf(), 'tag1')
    expect((await client.orders.findByTags(['tag1'])).get('tag1')).toMatchObject({ orderId })
    expect(context.lines).toMatchObject([{ event: 'broker.tag_not_unique' }])
  })

  it('is no search if the broker cannot be asked', async () => {
    const { client, fake } = await open()
    fake.book.lags = true
    fake.script.set({ route: 'history', actions: ['5xx_before'] })
    await expect(client.orders.findByTags(['tag1'])).rejects.toMatchObject({ kind: 'unavailable' })
  })
})

it.each(['put order req received', 'validation pending', 'modify pending', 'open'])(
  'of an order that is %s all may still trade, whatever the row says of it',
  async (status) => {
    const { context } = await open()
    const row = orderRow.parse({ ...ROW, status, quantity: 5, filled_quantity: 2, pending_quantity: null })
    expect(toOrder(context, row).pendingQuantity).toBe(3)
  },
)

it('a change is not in doubt if its order cannot be read first', async () => {
  const { client, fake } = await open()
  fake.script.set({ route: 'order', actions: ['5xx_before', '5xx_before'] })
  const order = orderOf({ priceType: 'LIMIT', price: 1400 })
  await expect(client.orders.prepareChange?.('1', 'modify')).rejects.toMatchObject({ sent: 'never' })
  await expect(client.orders.modify('1', order)).rejects.toMatchObject({ sent: 'never' })
  expect(fake.ledger.entries).toEqual([])
})

it('an order that the broker does not know is undefined, and a failed read an error', async () => {
  const { client, fake } = await open()
  expect(await client.orders.order?.('1')).toBeUndefined()
  fake.script.set({ route: 'order', actions: ['drop_before', 'drop_before'] })
  await expect(client.orders.order?.('1')).rejects.toMatchObject({ kind: 'network' })
})

it('a row of an instrument that the master lacks is shown as the broker has it', async () => {
  const { client, fake } = await open()
  fake.exchange.place({
    ...{
      key: 'NSE_COM|3001',
      side: 'BUY',
      product: 'D',
      kind: 'MARKET',
      quantity: 1,
      price: 0,
      trigger: 0,
      tag: '',
    },
  })
  expect(await client.orders.list()).toMatchObject([
    { symbol: 'GOLDM FUT 31 JAN 30', exchange: 'NSE_COM', product: 'NRML', quantity: 1 },
  ])
})

const ROW = {
  exchange: 'NSE',
  instrument_token: INFY,
  order_id: '1',
  order_type: 'MARKET',
  transaction_type: 'BUY',
  product: 'I',
}

function never(): never {
  throw new Error('it is not there')
}
