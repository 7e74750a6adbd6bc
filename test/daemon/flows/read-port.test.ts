import { describe, expect, it } from 'vitest'
import { type Body, READ_CALLS, type ReadCall } from '../../../src/core/flows/index.js'
import { flowReads } from '../../../src/daemon/flows/read-port.js'
import { strategyBook } from '../../../src/daemon/flows/strategy-book.js'
import { TestDesk, USER } from '../../support/desk/desk.js'
import { HttpDesk } from '../../support/desk/http-desk.js'

const FAULT = 'An unexpected error occurred'
const SBIN = { symbol: 'SBIN', exchange: 'NSE' }
const NIFTY = { underlying: 'NIFTY', exchange: 'NSE_INDEX', expiry_date: '24-NOV-26' }
const LEG = { ...SBIN, action: 'BUY', quantity: '10', product: 'MIS', pricetype: 'MARKET' }

/**
 * A request that the endpoint answers, the endpoint if it has another name, and a request that it refuses.
 */
const CALLS: Readonly<
  Record<Exclude<ReadCall, 'strategypnl'>, { body: Body; path?: string; refused?: [Body, number, RegExp] }>
> = {
  quotes: { body: SBIN, refused: [{ ...SBIN, symbol: 'NOPE' }, 400, /^Symbol 'NOPE' not found/] },
  depth: { body: SBIN, refused: [{ symbol: 'SBIN' }, 400, /^exchange: Missing data/] },
  multiquotes: { body: { symbols: [SBIN] }, refused: [{ symbols: [] }, 400, /^symbols: Shorter/] },
  history: {
    body: { ...SBIN, interval: 'D', start_date: '2026-11-02', end_date: '2026-11-19' },
    refused: [
      { ...SBIN, interval: 'D', start_date: '2026-11-02', end_date: '2026-11-19', source: 'db' },
      404,
      /^No data found for SBIN:NSE/,
    ],
  },
  intervals: { body: {}, refused: [{ symbols: 'x' }, 400, /^symbols: Unknown field/] },
  optionsymbol: {
    body: { ...NIFTY, offset: 'ATM', option_type: 'CE' },
    refused: [{ ...NIFTY, offset: 'AT', option_type: 'CE' }, 400, /^offset: Offset must be ATM/],
  },
  optionchain: {
    body: { ...NIFTY, strike_count: 5 },
    refused: [{ ...NIFTY, expiry_date: '' }, 400, /^Expiry date is required/],
  },
  syntheticfuture: {
    body: { ...NIFTY, expiry_date: '24NOV26' },
    refused: [{ ...NIFTY, expiry_date: '01-JAN-27' }, 404, /^No strikes found for NIFTY/],
  },
  symbol: { body: SBIN, refused: [{ symbol: 'NOPE', exchange: 'NSE' }, 404, /^Symbol NOPE not found/] },
  expiry: {
    body: { symbol: 'NIFTY', exchange: 'NFO', instrumenttype: 'options' },
    refused: [
      { symbol: 'NIFTY', exchange: 'NSE', instrumenttype: 'options' },
      400,
      /^exchange: Must be one of/,
    ],
  },
  orderstatus: {
    body: { strategy: 'flow', orderid: 'PLACED' },
    refused: [{ strategy: 'flow', orderid: '0' }, 404, /^Order 0 not found$/],
  },
  orderbook: { body: {} },
  tradebook: { body: {} },
  positionbook: { body: {} },
  holdings: { body: {} },
  funds: { body: {}, refused: [{ year: 1 }, 400, /^year: Unknown field/] },
  margin: {
    body: { positions: [LEG] },
    refused: [{ positions: [] }, 400, /^positions: Positions must contain 1 to 50 items/],
  },
  'market/holidays': {
    body: { year: 2026 },
    refused: [{ year: 1999 }, 400, /^year: Must be greater than or equal to 2020/],
  },
  'market/timings': {
    body: { date: '2026-11-20' },
    refused: [{ date: 'soon' }, 400, /^Invalid date format/],
  },
}
const NAMES = READ_CALLS.filter((call) => call !== 'strategypnl')

function readsOf({ service }: TestDesk) {
  return flowReads({ ...service, strategies: strategyBook(service) })
}

describe.each(['live', 'analyze'] as const)('in %s mode', (mode) => {
  it('every call answers as its endpoint does', async () => {
    const http = await HttpDesk.open()
    const { desk } = http
    if (mode === 'analyze') await desk.service.sandbox.start()
    await desk.service.settings.setAnalyzeMode(mode === 'analyze')
    const placed = await desk.settled(desk.place())
    const reads = readsOf(desk)
    for (const call of NAMES) {
      const { body, path = call } = CALLS[call]
      const named = body.orderid === 'PLACED' ? { ...body, orderid: placed.body.orderid } : body

      const answer = await reads.ask(call, named, { userId: USER })
      const reply = await http.request('POST', `/api/v1/${path}`, {
        body: { apikey: http.apikey, ...named },
      })

      expect([call, answer.ok]).toEqual([call, true])
      expect(JSON.parse(JSON.stringify(answer.output))).toEqual(reply.body)
    }
  })

  it('every refusal is an answer, with the status and the text of the endpoint', async () => {
    const http = await HttpDesk.open()
    const { desk } = http
    if (mode === 'analyze') await desk.service.sandbox.start()
    await desk.service.settings.setAnalyzeMode(mode === 'analyze')
    const reads = readsOf(desk)
    for (const call of NAMES) {
      const { path = call, refused } = CALLS[call]
      if (!refused) continue
      const [body, status, message] = refused

      const answer = await reads.ask(call, body, { userId: USER })
      const reply = await http.request('POST', `/api/v1/${path}`, { body: { apikey: http.apikey, ...body } })

      expect([call, answer.ok, reply.status]).toEqual([call, false, status])
      expect(answer.message).toMatch(message)
      const failure = { error: answer.message, code: reply.status }
      expect(answer.output).toEqual({ ...reply.body, ...failure })
    }
  })
})

it('a fault of the service is an answer too', async () => {
  const desk = await TestDesk.open()
  const logged: unknown[] = []
  const reads = flowReads({
    ...desk.service,
    strategies: {
      profit: () => {
        throw new Error('bug')
      },
    },
    log: { error: (event, fields) => logged.push([event, fields]) },
  })

  expect(await reads.ask('strategypnl', { strategy: 'x' }, { userId: USER })).toEqual({
    ok: false,
    code: 'internal',
    message: FAULT,
    output: { status: 'error', message: FAULT, error: FAULT, code: 500 },
  })
  expect(logged).toMatchObject([['flow.order_failed', { call: 'strategypnl', error: 'bug' }]])
})
