import { expect } from 'vitest'
import type { Body } from '../../../src/client/index.js'
import type { DeskOptions } from '../../support/desk/desk.js'
import { bearer } from '../../support/desk/http-desk.js'
import { pause } from '../../support/eventually.js'
import { liveDesk } from './live-desk.js'

const LIMIT = {
  strategy: 'test',
  symbol: 'SBIN',
  exchange: 'NSE',
  action: 'BUY',
  quantity: 10,
  pricetype: 'LIMIT',
  price: 740,
  product: 'MIS',
} as const satisfies Body<'placeorder'>

const STEP_MS = 50
const REAL_PAUSE_MS = 5

/** A daemon in one of the modes, with orders that tests place. */
export async function tradingDesk(mode: 'live' | 'analyze', options: DeskOptions = {}) {
  const live = await liveDesk(options)
  const { http, client, token } = live
  const { clock } = http.desk
  const setMode = async (next: typeof mode) => {
    const path = `/settings/analyze-mode/${next === 'analyze' ? 1 : 0}`
    expect((await http.request('POST', path, { headers: bearer(token) })).status).toBe(200)
  }
  /** Returns the outcome of a promise, and lets the market go on until then. */
  const trading = async <T>(promise: Promise<T>): Promise<T> => {
    let isDone = false
    const finish = () => {
      isDone = true
    }
    promise.then(finish, finish)
    while (!isDone) {
      await pause(REAL_PAUSE_MS)
      if (!isDone) await clock.advance(STEP_MS)
    }
    return promise
  }
  /** Places an order that waits below the market, unless the fields say otherwise. @returns its id */
  const place = async (fields: Partial<Body<'placeorder'>> = {}): Promise<string> => {
    const answer = await trading(client.call('placeorder', { ...LIMIT, ...fields }))
    if (!('orderid' in answer)) throw new Error(JSON.stringify(answer))
    return answer.orderid
  }
  const orders = async () => (await client.call('orderbook', {})).data.orders
  await setMode(mode)
  return { ...live, setMode, trading, place, orders }
}

/** Buys ten shares at the market. */
export const AT_MARKET = { pricetype: 'MARKET', price: 0 } as const
