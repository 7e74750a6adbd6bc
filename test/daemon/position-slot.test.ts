import { expect, test } from 'vitest'
import { chance } from '../support/chance/chance.js'
import { bearer, HttpDesk } from '../support/desk/http-desk.js'

const TRIES = 60
const strategy = 'slot'
const POSITION = { strategy, symbol: 'SBIN', exchange: 'NSE', product: 'MIS' }

/** A desk in one mode, and a function that calls an endpoint of it. */
async function open(mode: 'live' | 'analyze') {
  const http = await HttpDesk.open({ env: { SMART_ORDER_RATE_LIMIT: '1000000 per second' } })
  const { apikey } = http
  if (mode === 'analyze') {
    const headers = bearer(await http.signIn())
    await http.request('POST', '/settings/analyze-mode/1', { headers, body: {} })
  }
  const post = async (path: string, fields: object) => {
    const request = http.request('POST', `/api/v1/${path}`, { body: { apikey, ...fields } })
    const { status, body } = await http.desk.settled(request)
    return { status, body }
  }
  const smart = (position_size: number) =>
    post('placesmartorder', { ...POSITION, action: 'BUY', quantity: 0, position_size })
  return { http, post, smart, close: () => post('closeposition', { strategy }) }
}

test.each(['live', 'analyze'] as const)(
  'closes beside smart orders to 0 leave nothing open (%s)',
  async (mode) => {
    const { post, smart, close } = await open(mode)
    const dice = chance(`slot-${mode}`)
    const left: unknown[] = []
    for (let round = 0; round < TRIES; round++) {
      await post('placeorder', { ...POSITION, action: dice.next() < 0.5 ? 'BUY' : 'SELL', quantity: 10 })
      const both = [close, () => smart(0)]
      if (dice.next() < 0.5) both.reverse()
      await Promise.all(both.map((ask) => ask()))
      const { body } = await post('openposition', POSITION)
      left.push(body.quantity)
      await close()
    }
    expect(left).toEqual(Array.from({ length: TRIES }, () => 0))
  },
)

test('in Analyzer mode a smart order counts the close that still waits for a sound price', async () => {
  const { http, post, smart, close } = await open('analyze')
  await post('placeorder', { ...POSITION, action: 'BUY', quantity: 10 })
  const { market } = http.desk.service
  const { quote } = market
  // A last price outside the day's range marks a quote in the middle of an update.
  market.quote = async (ref) => ({ ...(await quote.call(market, ref)), high: 2, low: 1 })
  expect(await close()).toMatchObject({ body: { closed_positions: 1 } })
  expect(await post('openposition', POSITION)).toMatchObject({ body: { quantity: 10 } })
  expect(await smart(0)).toMatchObject({
    body: { message: expect.stringContaining('No OpenPosition Found') },
  })
  const { data } = (await post('orderbook', {})).body
  expect(data).toMatchObject({ orders: [{ action: 'SELL', order_status: 'open' }, { action: 'BUY' }] })
})
