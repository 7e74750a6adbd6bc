import { expect, it, onTestFinished, vi } from 'vitest'
import { positionRecords } from '../../../src/client/answers/records.js'
import type { SvcClient } from '../../../src/client/index.js'
import { BrokerError } from '../../../src/core/brokers/broker.js'
import type { Account } from '../../../src/tui/live/account.js'
import { cancelAllReview, modifyReview } from '../../../src/tui/orders/change-reviews.js'
import { closeAllReview, closeReview } from '../../../src/tui/positions/close-reviews.js'
import { stayLines } from '../../../src/tui/positions/exits/waiting-exits.js'
import { holdContractValue } from '../../support/desk/contract-value.js'
import { AT_MARKET, tradingDesk } from '../support/trading-desk.js'

const rupees = (lines: readonly string[]) =>
  lines.flatMap((line) => /value ₹([\d,.]+)/.exec(line)?.[1]?.replaceAll(',', '') ?? []).map(Number)

it('the values of reviews count the multiplier of the contract', async () => {
  const desk = await tradingDesk('analyze')
  holdContractValue(desk.http.desk, 'SBIN', 0.01)
  await desk.place({ ...AT_MARKET, quantity: 1000 })
  const orderid = await desk.place({ quantity: 1000, price: 700 })
  const { client } = desk
  const account: Account = await client.request('GET /auth/whoami', {}).then(({ data }) => data)
  const [position] = positionRecords(await client.call('positionbook', {}))
  const [order] = await desk.orders()
  if (!position || !order) throw new Error('nothing was placed')
  const linesOf = (review: object) => ('lines' in review && Array.isArray(review.lines) ? review.lines : [])

  const value = position.ltp * 1000 * 0.01
  for (const review of [
    await closeReview(client, account, position, 'k'),
    await closeAllReview(client, account, 'k'),
  ]) {
    expect(rupees(linesOf(review))[0]).toBeCloseTo(value, 0)
  }
  const values = { quantity: '2000', price: '700', pricetype: 'LIMIT' }
  const wanted = { ...order, orderid, mode: 'analyze' } as const
  expect(rupees(linesOf(await cancelAllReview(client, account, 'k')))).toEqual([7000])
  expect(rupees(linesOf(await modifyReview(client, account, wanted, { values, key: 'k' })))).toEqual([14_000])
})

it('a position is closed by key where the books of orders cannot be read, and one of a broker without GTTs', async () => {
  const desk = await tradingDesk('live')
  await desk.place({ ...AT_MARKET, product: 'CNC' })
  const stop = { action: 'SELL', pricetype: 'SL-M', price: 0, trigger_price: 700, product: 'CNC' } as const
  await desk.place(stop)
  const { client } = desk
  const account: Account = await client.request('GET /auth/whoami', {}).then(({ data }) => data)
  const [position] = positionRecords(await client.call('positionbook', {}))
  if (!position) throw new Error('nothing is held')
  const lines = async () => {
    const review = await closeReview(client, account, position, 'k')
    return 'lines' in review ? review.lines : []
  }
  const broker = desk.http.desk.service.brokers.client()
  if (!broker.gtts) throw new Error('the simulated broker has GTTs')
  broker.gtts.list = () =>
    Promise.reject(new BrokerError('unsupported', 'not all were read', { sent: 'yes' }))
  expect(await lines()).toContainEqual('which orders stay is not known: not all were read')
  broker.gtts = undefined
  expect((await lines()).filter((line) => line.startsWith('stays'))).toEqual([
    expect.stringContaining('SELL 10 NSE:SBIN SL-M'),
  ])
  broker.orders.list = () => Promise.reject(new Error('no book'))
  expect(await lines()).toContainEqual(expect.stringMatching(/^which orders stay is not known/))
})

it.each([
  ['a position', closeReview],
  ['every position', (client: SvcClient, account: Account) => closeAllReview(client, account, 'k')],
])('a close of %s that the broker refuses is a bad result', async (_name, review) => {
  const desk = await tradingDesk('live')
  await desk.place(AT_MARKET)
  const { client } = desk
  const account: Account = await client.request('GET /auth/whoami', {}).then(({ data }) => data)
  const [position] = positionRecords(await client.call('positionbook', {}))
  if (!position) throw new Error('nothing is held')
  const asked = await review(client, account, position, 'k')
  if ('refusal' in asked) throw new Error(asked.refusal)
  const { orders } = desk.http.desk.service.brokers.client()
  orders.place = () => Promise.reject(new BrokerError('rejected', 'no margin', { sent: 'yes' }))
  expect(await desk.trading(asked.change.send(client))).toEqual({
    text: expect.stringMatching(/1 NOT closed: .*no margin.* Look: svc position list$/),
    isBad: true,
  })
})

it('a close of every position closes no position that was not shown, and no other quantity', async () => {
  const desk = await tradingDesk('analyze')
  await desk.place(AT_MARKET)
  await desk.place({ ...AT_MARKET, symbol: 'INFY' })
  const { client } = desk
  const account: Account = await client.request('GET /auth/whoami', {}).then(({ data }) => data)
  const asked = await closeAllReview(client, account, 'k')
  if ('refusal' in asked) throw new Error(asked.refusal)
  await asked.recheck?.()
  await desk.place({ ...AT_MARKET, symbol: 'INFY', action: 'SELL' })
  // What somebody else has closed is none to close.
  await asked.recheck?.()
  await desk.place({ ...AT_MARKET, quantity: 5 })
  await expect(asked.recheck?.()).rejects.toThrow('the position in NSE:SBIN MIS is 15 now, and was 10.')
  await desk.place({ ...AT_MARKET, action: 'SELL', quantity: 5 })
  await desk.place({ ...AT_MARKET, symbol: 'INFY', product: 'CNC' })
  await expect(asked.recheck?.()).rejects.toThrow('the position in NSE:INFY CNC is 10 now, and was 0.')
})

it('a question does not wait for books that do not answer', async () => {
  const { client } = await tradingDesk('live')
  client.call = () => new Promise(() => undefined)
  vi.useFakeTimers()
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const lines = stayLines(client, [
    { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', quantity: 10, mode: 'live' },
  ])
  await vi.advanceTimersByTimeAsync(1_500)
  expect(await lines).toEqual(['which orders stay is not known: the books of orders did not answer in time.'])
})
