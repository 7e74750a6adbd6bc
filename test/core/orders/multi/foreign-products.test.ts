import { beforeEach, describe, expect, test } from 'vitest'
import { smartOrderPayload } from '../../../../src/core/orders/multi/schema.js'
import { SMART_ORDER } from '../../../../src/core/orders/multi/smart.js'
import { payloadOf, type TestDesk, USER } from '../../../support/desk/desk.js'
import { KiteDesk } from '../../../support/desk/kite-desk.js'

/*
 * Products of the broker that nobody can open here: margin funding (MTF), the legs of cover (CO) and bracket (BO) orders.
 * A close goes out in the product of the row, or says why it cannot.
 */

const CONTEXT = { userId: USER, source: 'api' } as const
const AT_BROKER = 'Close it at Zerodha'

let kite: KiteDesk
let desk: TestDesk
beforeEach(async () => {
  kite = await KiteDesk.start()
  desk = await kite.desk()
})

const sent = () =>
  kite.fake.ledger.placed.map(
    ({ fields }) =>
      `${fields.transaction_type} ${fields.quantity} ${fields.exchange}:${fields.tradingsymbol} ${fields.product}`,
  )
const close = (filter: { symbol?: string; exchange?: 'NSE'; product?: 'CNC' | 'MTF' | 'CO' } = {}) =>
  desk.settled(desk.orders.changes.close({ strategy: 't', ...filter }, CONTEXT))
const smart = (changes: {
  product: 'CNC' | 'MIS' | 'MTF' | 'CO'
  quantity?: number
  action?: 'BUY' | 'SELL'
  position_size?: number
}) => {
  const { underlying_ltp: _, ...line } = payloadOf({ symbol: 'INFY', exchange: 'NSE', action: 'SELL' })
  const order = { ...line, quantity: 0, position_size: 0, ...changes }
  return desk.settled(desk.orders.multi.submit(SMART_ORDER, order, CONTEXT))
}

describe('a share held in MTF and in CNC', () => {
  beforeEach(() => {
    kite.fake.book.hold('NSE:INFY', 'MTF', 10)
    kite.fake.book.hold('NSE:INFY', 'CNC', 4)
  })

  test('is two positions, each with its own product', async () => {
    const rows = await desk.service.brokers.client().portfolio.positions()
    expect(rows.map(({ product, quantity }) => [product, quantity])).toEqual([
      ['MTF', 10],
      ['CNC', 4],
    ])
  })

  test('closes with everything in both products', async () => {
    expect((await close()).body).toMatchObject({ closed_positions: 2, failed_closures: 0 })
    expect(sent().sort()).toEqual(['SELL 10 NSE:INFY MTF', 'SELL 4 NSE:INFY CNC'])
  })

  test.each([
    ['MTF', 'SELL 10 NSE:INFY MTF'],
    ['CNC', 'SELL 4 NSE:INFY CNC'],
  ] as const)('closes alone in %s', async (product, order) => {
    await close({ symbol: 'INFY', exchange: 'NSE', product })
    expect(sent()).toEqual([order])
  })

  test.each([
    ['MTF', 'SELL 10 NSE:INFY MTF'],
    ['CNC', 'SELL 4 NSE:INFY CNC'],
  ] as const)('a smart order to zero in %s counts and sends this product', async (product, order) => {
    expect(await smart({ product })).toMatchObject({ status: 200 })
    expect(sent()).toEqual([order])
  })
})

describe('a share held in MTF only', () => {
  beforeEach(() => kite.fake.book.hold('NSE:INFY', 'MTF', 10))

  test.each(['CNC', 'MIS'] as const)('is not sold by a smart order to zero in %s', async (product) => {
    const named = { body: { message: expect.stringContaining('is held in MTF (10)') } }
    expect(await smart({ product })).toMatchObject(named)
    expect(await smart({ product, quantity: 10 })).toMatchObject(named)
    expect(sent()).toEqual([])
  })

  test('is not closed under another product, and the answer names its own', async () => {
    expect(await close({ symbol: 'INFY', exchange: 'NSE', product: 'CNC' })).toMatchObject({
      code: 'not_found',
      body: { message: 'No open position found for INFY in CNC. It is open in MTF (10)' },
    })
    expect(sent()).toEqual([])
  })

  test('does not stop a new position in another product', async () => {
    expect(await smart({ product: 'MIS', quantity: 3, action: 'BUY' })).toMatchObject({ status: 200 })
    expect(sent()).toEqual(['BUY 3 NSE:INFY MIS'])
  })
})

test.each(['CO', 'BO', 'NEW'])(
  'a position in %s is shown, and a close says why it cannot',
  async (product) => {
    kite.fake.book.hold('NSE:SBIN', product, 5)
    kite.fake.book.hold('NSE:INFY', 'MIS', 2)
    const { body } = await close()
    expect(body).toMatchObject({ closed_positions: 1, failed_closures: 1 })
    expect(JSON.stringify(body)).toContain(`${AT_BROKER}: a position in ${product} ends with an order`)
    expect(sent()).toEqual(['SELL 2 NSE:INFY MIS'])
  },
)

test('a smart order to zero in CO is refused with the reason', async () => {
  kite.fake.book.hold('NSE:INFY', 'CO', 5)
  expect(await smart({ product: 'CO' })).toMatchObject({
    code: 'unsupported',
    body: { message: expect.stringContaining(AT_BROKER) },
  })
  expect(sent()).toEqual([])
})

test('a repeated exit does not buy back the funded shares that were sold today', async () => {
  kite.fake.book.hold('NSE:INFY', 'MTF', -5)
  expect(await smart({ product: 'MTF' })).toMatchObject({ status: 200 })
  expect(sent()).toEqual([])
})

describe('delivered shares that were sold today', () => {
  beforeEach(() => kite.fake.book.hold('NSE:INFY', 'CNC', -100))
  const to = (position_size: number, quantity = 0) => smart({ product: 'CNC', position_size, quantity })

  test.each([0, 100])(
    'are not bought again by an exit that repeats, with a quantity of %d',
    async (quantity) => {
      const message = 'No OpenPosition Found. Not placing Exit order.'
      expect(await to(0, quantity)).toMatchObject({ status: 200, body: { message } })
      expect(sent()).toEqual([])
    },
  )

  test('count for an order to another target, so that its repeat trades nothing', async () => {
    expect(await to(10)).toMatchObject({ status: 200 })
    expect(sent()).toEqual(['BUY 110 NSE:INFY CNC'])
    expect(await to(10)).toMatchObject({ status: 200 })
    expect(sent()).toHaveLength(1)
  })

  test('count for an order that sells held shares', async () => {
    expect(await to(-100)).toMatchObject({ status: 200 })
    expect(sent()).toEqual([])
    expect(await to(-150)).toMatchObject({ status: 200 })
    expect(sent()).toEqual(['SELL 50 NSE:INFY CNC'])
  })
})

test('no smart order opens or flips a position in MTF', () => {
  const { underlying_ltp: _, ...line } = payloadOf({ symbol: 'INFY', exchange: 'NSE' })
  const issues = (changes: object) =>
    smartOrderPayload.safeParse({ ...line, product: 'MTF', quantity: 0, position_size: 0, ...changes }).error
      ?.issues[0]?.message
  expect(issues({})).toBeUndefined()
  for (const changes of [{ quantity: 1 }, { position_size: 5 }, { position_size: -5 }]) {
    expect(issues(changes)).toBe('Must be one of: MIS, NRML, CNC.')
  }
})
