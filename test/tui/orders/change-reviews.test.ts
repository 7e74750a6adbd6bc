import { expect, it, vi } from 'vitest'
import { orderRecords } from '../../../src/client/answers/records.js'
import { BrokerError } from '../../../src/core/brokers/broker.js'
import type { FormValues } from '../../../src/tui/components/form/Form.js'
import type { Account } from '../../../src/tui/live/account.js'
import { cancelAllReview, modifyReview } from '../../../src/tui/orders/change-reviews.js'
import { changedValues } from '../../../src/tui/orders/form/draft.js'
import { rupeePrice } from '../../../src/views/table/cells.js'
import { tradingDesk } from '../support/trading-desk.js'

it.each([
  ['price', { price: '741' }, 40],
  ['quantity below it', { quantity: '30' }, 30],
  ['quantity to more than ten of it', { quantity: '500' }, 50],
])(
  'a change of the %s keeps the disclosed quantity of the order',
  async (_name, changed, disclosedQuantity) => {
    const desk = await tradingDesk('live')
    await desk.place({ quantity: 100 })
    const { client } = desk
    const { orders } = desk.http.desk.service.brokers.client()
    const list = orders.list.bind(orders)
    orders.list = async (...rank) => (await list(...rank)).map((row) => ({ ...row, disclosedQuantity: 40 }))
    const modify = vi.spyOn(orders, 'modify')
    const account: Account = await client.request('GET /auth/whoami', {}).then(({ data }) => data)
    const [order] = orderRecords(await client.call('orderbook', {}))
    if (!order) throw new Error('nothing was placed')
    const values = { ...changedValues(order), ...changed }
    const review = await modifyReview(client, account, order, { values, key: 'k' })
    if ('refusal' in review) throw new Error(review.refusal)
    const { quantity = '' }: FormValues = values
    expect(review.lines.find((line) => line.startsWith('then:'))).toContain(
      `, the market sees ${disclosedQuantity} of ${quantity}`,
    )
    await desk.trading(review.change.send(client))
    expect(modify.mock.lastCall?.[1]).toMatchObject({ disclosedQuantity })
  },
)

it('values of an order that another program has changed since are refused: they would undo it', async () => {
  const desk = await tradingDesk('analyze')
  const { client } = desk
  const orderid = await desk.place({ quantity: 10 })
  const account: Account = await client.request('GET /auth/whoami', {}).then(({ data }) => data)
  const [seen] = orderRecords(await client.call('orderbook', {}))
  if (!seen) throw new Error('nothing was placed')
  const values = { ...changedValues(seen), price: '741' }
  const { symbol, product } = seen
  const fixed = { orderid, strategy: 'bot', exchange: 'NSE', symbol, action: 'BUY', product } as const
  const changed = { quantity: 20, pricetype: 'LIMIT', price: 740, trigger_price: 0 } as const
  await client.call('modifyorder', { ...fixed, ...changed, product: 'MIS', disclosed_quantity: 0 })
  const review = await modifyReview(client, account, seen, { values, key: 'k' })
  expect(review).toEqual({
    refusal: expect.stringMatching(/is 20 LIMIT at ₹740.00 now, and was 10 LIMIT at ₹740.00/),
  })
})

it('an order that is changed to one at the market is valued at the last price, and weighs as much', async () => {
  const desk = await tradingDesk('live')
  const { client } = desk
  await desk.place({ quantity: 1500 })
  const account: Account = await client.request('GET /auth/whoami', {}).then(({ data }) => data)
  const [order] = orderRecords(await client.call('orderbook', {}))
  if (!order) throw new Error('nothing was placed')
  const reviewed = async () => {
    const values = { quantity: '1500', pricetype: 'MARKET', price: '', trigger_price: '' }
    const review = await modifyReview(client, account, order, { values, key: 'k' })
    return 'refusal' in review ? [] : [review.word, ...review.lines]
  }
  const { ltp } = (await client.call('quotes', { symbol: 'SBIN', exchange: 'NSE' })).data
  expect(ltp).toBeGreaterThan(order.price)
  const worth = (price: number) => [
    String(Math.round(1500 * price)),
    `estimated value ${rupeePrice(1500 * price)}`,
  ]
  expect(await reviewed()).toEqual(expect.arrayContaining(worth(ltp)))
  const { market } = desk.http.desk.service.brokers.client()
  market.quotes = () => Promise.reject(new BrokerError('unsupported', 'no quote', { sent: 'yes' }))
  expect(await reviewed()).toEqual(expect.arrayContaining(worth(740)))
})

it('a cancellation of every order, of which the broker refuses one, is a bad result', async () => {
  const desk = await tradingDesk('live')
  const kept = await desk.place()
  await desk.place()
  const { client } = desk
  const { orders } = desk.http.desk.service.brokers.client()
  const cancel = orders.cancel.bind(orders)
  orders.cancel = async (id, ...rest) => {
    if (id === kept) throw new BrokerError('rejected', 'too late', { sent: 'yes' })
    return cancel(id, ...rest)
  }
  const account: Account = await client.request('GET /auth/whoami', {}).then(({ data }) => data)
  const asked = await cancelAllReview(client, account, 'k')
  if ('refusal' in asked) throw new Error(asked.refusal)
  expect(await desk.trading(asked.change.send(client))).toEqual({
    text: expect.stringMatching(`^1 order cancelled, 1 NOT cancelled: ${kept}: .*too late`),
    isBad: true,
  })
})

it('a cancellation of every order cancels none that was not shown, and no other quantity', async () => {
  const desk = await tradingDesk('analyze')
  const [kept, gone] = [await desk.place(), await desk.place()]
  const { client } = desk
  const account: Account = await client.request('GET /auth/whoami', {}).then(({ data }) => data)
  const asked = await cancelAllReview(client, account, 'k')
  if ('refusal' in asked) throw new Error(asked.refusal)
  await client.call('cancelorder', { strategy: 'bot', orderid: gone })
  await asked.recheck?.()
  const terms = { strategy: 'bot', exchange: 'NSE', symbol: 'SBIN', action: 'BUY', product: 'MIS' } as const
  const limit = { pricetype: 'LIMIT', price: 740, trigger_price: 0, disclosed_quantity: 0 } as const
  await client.call('modifyorder', { orderid: kept, ...terms, ...limit, quantity: 20 })
  await expect(asked.recheck?.()).rejects.toThrow(`order ${kept} (BUY 20 NSE:SBIN) was for 10. Ask again.`)
  await client.call('modifyorder', { orderid: kept, ...terms, ...limit, quantity: 10 })
  const other = await desk.place({ quantity: 7 })
  await expect(asked.recheck?.()).rejects.toThrow(
    `order ${other} (BUY 7 NSE:SBIN) waits now, too. Ask again.`,
  )
})
