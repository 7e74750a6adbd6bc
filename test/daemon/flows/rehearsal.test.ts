import { readdirSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { compare, type Outcome, readScenarios, readWorkflow } from '../../../src/core/flows/files/index.js'
import { istTime } from '../../../src/core/time/index.js'
import { parseBars, rehearse, toRef } from '../../../src/daemon/flows/rehearsal/index.js'
import { tempDir } from '../../support/files/temp.js'

type Replays = Parameters<typeof rehearse>[2]

/** Plays the only case of a text. */
async function play(workflowText: string, caseText: string, options?: Replays) {
  const workflow = readWorkflow(`name: Rehearsed\nnodes:\n${workflowText}`, 'a.yaml')
  if (!workflow.ok) throw new Error(JSON.stringify(workflow.findings))
  const read = readScenarios(`- {name: a case, ${caseText}}`, 'a.test.yaml')
  if (!read.ok) throw new Error(JSON.stringify(read.findings))
  const [scenario] = read.value.cases
  if (!scenario) throw new Error('no case')
  const outcome = await rehearse(workflow.value, scenario, options)
  return { outcome, differences: compare(scenario.expect, outcome) }
}

/** Orders as `BUY 10 SBIN at 812`, with their fill price. */
const filled = ({ orders }: Outcome) =>
  orders.map(
    ({ action, quantity, symbol, average_price, order_status }) =>
      `${action} ${quantity} ${symbol} ${order_status === 'complete' ? `at ${Number(average_price)}` : order_status}`,
  )

const AT = 'at: "2026-11-20T10:00:00", market: {NSE:SBIN: 812}'
const SAY = 'say: {type: log, with: {message: "now {{time}}"}}'
const BUY =
  'buy: {type: placeOrder, with: {symbol: SBIN, exchange: NSE, action: BUY, quantity: 10, priceType: LIMIT, price: 812}}'
const BELOW_800 =
  '{symbol: SBIN, exchange: NSE, condition: less_than, price: 800, trigger: once, outputVariable: alert}'

it('reports each minute of the time that passes, with the orders so far', async () => {
  const reports: string[] = []
  await play(
    `  go: {type: start, with: {scheduleType: interval, intervalValue: 2, intervalUnit: minutes}, next: buy}\n  ${BUY}\n`,
    `${AT}, trigger: {kind: schedule}, advance: 210s, expect: {}`,
    {
      onProgress: ({ now, endsAt, orders }) =>
        reports.push(`${istTime(now)} of ${istTime(endsAt)}: ${orders}`),
    },
  )
  expect(reports).toEqual([
    '10:01:00 of 10:03:30: 1',
    '10:02:00 of 10:03:30: 2',
    '10:03:00 of 10:03:30: 2',
    '10:03:30 of 10:03:30: 2',
  ])
})

describe('the start of a run', () => {
  it.each<[string, string, string]>([
    ['by hand', `go: {type: start, next: say}\n  ${SAY}`, 'expect: {status: completed, logs: ["now 10:00"]}'],
    [
      'the webhook, with its body',
      'call: {type: webhookTrigger, next: say}\n  say: {type: log, with: {message: "{{webhook.n}} of {{webhook.of.what}}"}}',
      'trigger: {kind: webhook, payload: {n: 3, of: {what: SBIN}}}, expect: {logs: ["3 of SBIN"]}',
    ],
    [
      'the clock',
      `go: {type: start, with: {scheduleType: daily, time: "10:00"}, next: say}\n  ${SAY}`,
      'trigger: {kind: schedule}, expect: {status: completed, logs: ["now 10:00"]}',
    ],
    [
      'the clock, and again in the time that passes',
      `go: {type: start, with: {scheduleType: interval, intervalValue: 5, intervalUnit: minutes}, next: say}\n  ${SAY}`,
      'trigger: {kind: schedule}, advance: 11m, expect: {logs: ["now 10:00", "now 10:05", "now 10:10"]}',
    ],
    [
      'the clock, not outside the hours it keeps',
      `go: {type: start, with: {scheduleType: daily, time: "10:00", marketHoursOnly: true, marketHoursStart: "10:30"}, next: say}\n  ${SAY}`,
      'trigger: {kind: schedule}, expect: {not_visited: [say]}',
    ],
    [
      'a price that is met by a step',
      `alert: {type: priceAlert, with: ${BELOW_800}, next: say}\n  say: {type: log, with: {message: "met at {{alert.ltp}}"}}`,
      'trigger: {kind: price_alert}, advance: 3m, expect: {status: completed, logs: ["met at 798"]}',
    ],
    [
      'an order update, with the order',
      'update: {type: orderUpdateTrigger, with: {symbol: SBIN}, next: say}\n  say: {type: log, with: {message: "{{webhook.trigger_type}} {{webhook.symbol}}"}}',
      'trigger: {kind: order_update, payload: {symbol: SBIN, status: complete}}, expect: {logs: ["order_update SBIN"]}',
    ],
  ])('%s', async (_, workflow, rest) => {
    const market = 'market: [{NSE:SBIN: 812}, {after: 2m, NSE:SBIN: 798}]'
    const { differences } = await play(`  ${workflow}\n`, `at: "2026-11-20T10:00:00", ${market}, ${rest}`)
    expect(differences).toEqual([])
  })

  it('a price that is not met starts nothing', async () => {
    const { outcome } = await play(
      `  alert: {type: priceAlert, with: ${BELOW_800}, yes: say}\n  ${SAY}\n`,
      `${AT}, trigger: {kind: price_alert}, advance: 3m, expect: {}`,
    )
    expect([outcome.status, outcome.visited]).toEqual(['not started', new Set()])
  })

  it('a fill in the time that passes starts one that waits for order updates', async () => {
    const { outcome } = await play(
      `  update: {type: orderUpdateTrigger, with: {symbol: SBIN, status: complete, trigger: once}, next: buy}\n  ${BUY.replace('price: 812', 'price: 805')}\n`,
      'at: "2026-11-20T10:00:00", market: [{NSE:SBIN: 812}, {after: 30s, NSE:SBIN: 804}], trigger: {kind: order_update}, advance: 1m, expect: {}',
    )
    expect(filled(outcome)).toEqual(['BUY 10 SBIN at 805', 'BUY 10 SBIN at 804'])
  })
})

describe('time', () => {
  it('passes in a delay and until a time of day, and takes none of ours', async () => {
    const { outcome } = await play(
      `  go: {type: start, next: rest}
  rest: {type: delay, with: {delayValue: 5, delayUnit: minutes}, next: one}
  one: {type: log, with: {message: "first {{time}}"}, next: wait}
  wait: {type: waitUntil, with: {targetTime: "14:30"}, next: two}
  two: {type: log, with: {message: "second {{time}}"}}\n`,
      `${AT}, expect: {}`,
    )
    expect(outcome.logs).toEqual(
      expect.arrayContaining([
        expect.stringContaining('first 10:05'),
        expect.stringContaining('second 14:30'),
      ]),
    )
  })

  it('moves the price: a limit order rests until a step reaches it', async () => {
    const workflow = `  go: {type: start, next: buy}\n  ${BUY.replace('price: 812', 'price: 805')}\n`
    const market = 'market: [{NSE:SBIN: 812}, {after: 90s, NSE:SBIN: 804}]'
    const orders = async (advance: string) =>
      filled(
        (await play(workflow, `at: "2026-11-20T10:00:00", ${market}, advance: ${advance}, expect: {}`))
          .outcome,
      )
    expect(await orders('85s')).toEqual(['BUY 10 SBIN open'])
    expect(await orders('100s')).toEqual(['BUY 10 SBIN at 805'])
  })

  it('does not square off intraday positions, and accepts orders in the evening', async () => {
    const { outcome } = await play(
      `  go: {type: start, next: buy}\n  ${BUY}\n`,
      'at: "2026-11-20T15:10:00", market: {NSE:SBIN: 812}, advance: 30m, expect: {}',
    )
    expect(filled(outcome)).toEqual(['BUY 10 SBIN at 812'])
    const evening = await play(
      `  go: {type: start, next: buy}\n  ${BUY}\n`,
      'at: "2026-11-22T20:00:00", market: {NSE:SBIN: 812}, expect: {}',
    )
    expect(filled(evening.outcome)).toEqual(['BUY 10 SBIN at 812'])
  })
})

describe('the world outside', () => {
  const ASK = `  go: {type: start, next: ask}
  ask: {type: httpRequest, with: {method: POST, url: "https://example.com/rates?of=SBIN"}, next: say}
  say: {type: telegramAlert, with: {message: "rate {{response.data.rate}}"}}\n`

  it('answers as the case says, and messages stay here', async () => {
    const { differences } = await play(
      ASK,
      `${AT}, http: [{url: "https://example.com/rates", body: {rate: 7}}], expect: {status: completed, alerts: ["rate 7"],
       http: [{method: POST, url: "https://example.com/rates?of=SBIN"}]}`,
    )
    expect(differences).toEqual([])
  })

  it('a status that is no success ends the branch', async () => {
    const { outcome } = await play(
      ASK,
      `${AT}, http: [{url: "https://example.com/", status: 503, body: busy}], expect: {}`,
    )
    expect([outcome.status, outcome.alerts]).toEqual(['failed', []])
    expect(outcome.logs.join()).toContain('The server answered 503')
  })

  it('a request without an answer fails by name, and no connection is ever opened', async () => {
    const connect = vi.spyOn(Socket.prototype, 'connect')
    onTestFinished(() => connect.mockRestore())
    const { outcome } = await play(ASK, `${AT}, expect: {}`)
    expect(outcome.status).toBe('failed')
    expect(outcome.logs.join()).toContain(
      'The scenario has no answer to POST https://example.com/rates?of=SBIN',
    )
    expect(connect).not.toHaveBeenCalled()
  })
})

describe('the account', () => {
  const LOOK = `  go: {type: start, next: funds}
  funds: {type: funds, with: {outputVariable: funds}, next: book}
  book: {type: positionBook, with: {outputVariable: book}}\n`
  const POSITIONS =
    'positions: [{symbol: SBIN, exchange: NSE, product: CNC, quantity: 100, average_price: 800}, {symbol: SBIN, exchange: NSE, product: MIS, quantity: -50, average_price: 820}]'

  it.each([
    ['in the day', '2026-11-20T10:00:00'],
    ['as the market opens', '2026-11-20T09:15:00'],
    ['after the close', '2026-11-20T15:45:00'],
    ['on a Sunday', '2026-11-22T12:00:00'],
  ])('has its cash and each position at its own price, valued at the market: %s', async (_, at) => {
    const { differences } = await play(
      LOOK,
      `at: "${at}", market: {NSE:SBIN: 812}, account: {cash: 500000, ${POSITIONS}}, advance: 2s, expect: {status: completed, orders: [],
       variables: {"funds.availablecash": 411800, "funds.m2munrealized": 1600,
       "book.data[0].quantity": 100, "book.data[0].average_price": 800, "book.data[1].quantity": -50, "book.data[1].average_price": 820}}`,
    )
    expect(differences).toEqual([])
  })

  it('in live mode has them at the broker, as near as its book lets it', async () => {
    const { outcome } = await play(
      LOOK,
      `${AT}, mode: live, account: {cash: 5000000, positions: [{symbol: SBIN, exchange: NSE, product: MIS, quantity: -2000, average_price: 820}]}, expect: {}`,
    )
    expect(outcome.status).toBe('completed')
    const book = outcome.variables.get('book')
    expect(book).toMatchObject({ data: [{ symbol: 'SBIN', quantity: -2000 }] })
  })

  it.each(['live', 'analyze'])('trades in %s mode at any price, however long ago it bought', async (mode) => {
    const bought =
      'positions: [{symbol: SBIN, exchange: NSE, product: CNC, quantity: 10, average_price: 500}]'
    const { outcome } = await play(
      `  go: {type: start, next: buy}\n  ${BUY.replace('price: 812', 'price: 815')}\n`,
      `${AT}, mode: ${mode}, account: {${bought}}, advance: 5s, expect: {}`,
    )
    expect(outcome.orders).toMatchObject([{ order_status: 'complete', quantity: 10 }])
  })

  it('live orders go to the simulated broker', async () => {
    const { outcome } = await play(
      `  go: {type: start, next: buy}\n  ${BUY.replace('price: 812', 'price: 815')}\n`,
      `${AT}, mode: live, advance: 5s, expect: {}`,
    )
    expect(filled(outcome)).toHaveLength(1)
    expect(outcome.orders[0]).toMatchObject({ order_status: 'complete', quantity: 10 })
  })

  it.each([
    [
      'cannot be paid',
      'account: {cash: 100, positions: [{symbol: SBIN, exchange: NSE, product: CNC, quantity: 9, average_price: 800}]}',
      'Insufficient funds',
    ],
    [
      'is in what is not listed',
      'account: {positions: [{symbol: NIFTY01JAN10FUT, exchange: NFO, product: NRML, quantity: 75, average_price: 800}]}',
      'NFO:NIFTY01JAN10FUT is not listed on the day of the case',
    ],
  ])('a position that %s is told', async (_, account, message) => {
    await expect(play(LOOK, `${AT}, ${account}, expect: {}`)).rejects.toThrow(message)
  })
})

describe('symbols', () => {
  const QUOTE = (symbol: string) =>
    `  go: {type: start, next: quote}\n  quote: {type: getQuote, with: {symbol: ${symbol}, exchange: NSE, outputVariable: quote}}\n`

  it('one the case does not name is not there', async () => {
    const { outcome } = await play(QUOTE('TCS'), `${AT}, expect: {}`)
    expect(outcome.status).toBe('failed')
  })

  it('any share can be named, also one the simulated market does not have', async () => {
    const { differences } = await play(
      QUOTE('SMALLCAP'),
      'at: "2026-11-20T10:00:00", market: {NSE:SMALLCAP: 42.5}, expect: {status: completed, variables: {quote.ltp: 42.5}}',
    )
    expect(differences).toEqual([])
  })
})

it('variables of the case are there from the beginning', async () => {
  const { differences } = await play(
    '  go: {type: start, next: sum}\n  sum: {type: mathExpression, with: {expression: "{{n}} * 2", outputVariable: twice}}\n',
    `${AT}, variables: {n: 21}, expect: {variables: {twice: 42}}`,
  )
  expect(differences).toEqual([])
})

it('history and quotes return the recorded bars', async () => {
  const minutes = Array.from({ length: 15 }, (_, i) => {
    const price = 100 + i
    return `2026-11-20T09:${15 + i}:00+05:30,${price},${price + 2},${price - 1},${price + 1},1000`
  })
  const bars = parseBars(['datetime,open,high,low,close,volume', ...minutes].join('\n'))
  const { differences } = await play(
    `  go: {type: start, next: bars}
  bars: {type: history, with: {symbol: SBIN, exchange: NSE, interval: 5m, startDate: "2026-11-20", endDate: "2026-11-20", outputVariable: bars}, next: quote}
  quote: {type: getQuote, with: {symbol: SBIN, exchange: NSE, outputVariable: quote}}\n`,
    `at: "2026-11-20T09:31:00", expect: {status: completed, variables: {"bars.data[0].open": 100, "bars.data[0].high": 106,
     "bars.data[2].low": 109, "bars.data[2].close": 115, quote.ltp: 115}}`,
    { replays: [{ spot: toRef('NSE:SBIN'), bars }] },
  )
  expect(differences).toEqual([])
})

it('a case comes out the same every time', async () => {
  const once = async () =>
    filled(
      (
        await play(
          `  go: {type: start, with: {scheduleType: interval, intervalValue: 1, intervalUnit: minutes}, next: [buy, sell]}
  ${BUY.replace(', priceType: LIMIT, price: 812', '')}
  sell: {type: placeOrder, with: {symbol: NIFTY23NOV2626000CE, exchange: NFO, action: SELL, quantity: 65}}\n`,
          `at: "2026-11-20T10:00:00", market: [{NSE:SBIN: 812, NSE_INDEX:NIFTY: 26000}, {after: 90s, NSE:SBIN: 815, NSE_INDEX:NIFTY: 26100}], trigger: {kind: schedule}, advance: 3m, expect: {}`,
        )
      ).outcome,
    )
  const first = await once()
  expect(first.length).toBeGreaterThan(5)
  expect([await once(), await once()]).toEqual([first, first])
})

it('leaves nothing behind, whether it goes well or not', async () => {
  const folder = tempDir()
  vi.stubEnv('TMPDIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(tmpdir()).toBe(folder)
  const going = play('  go: {type: start}\n', `${AT}, expect: {}`)
  await vi.waitFor(() => expect(readdirSync(folder)).toHaveLength(1))
  await going
  expect(readdirSync(folder)).toEqual([])
  const unlisted = 'at: "2026-11-20T10:00:00", market: {NFO:NONE: 1}, expect: {}'
  await expect(play('  go: {type: start}\n', unlisted)).rejects.toThrow('not listed')
  expect(readdirSync(folder)).toEqual([])
})

it('with any steps, an order fills at the price of its second', async () => {
  const steps = fc.uniqueArray(
    fc.record({ after: fc.integer({ min: 0, max: 120 }), price: fc.integer({ min: 790, max: 900 }) }),
    { selector: ({ after }) => after, minLength: 1, maxLength: 4 },
  )
  await fc.assert(
    fc.asyncProperty(steps, async (written) => {
      const market = [{ after: 0, price: 800 }, ...written.sort((a, b) => a.after - b.after)]
      const texts = market.map(({ after, price }) => `{after: ${after}s, NSE:SBIN: ${price}}`)
      const { outcome } = await play(
        `  go: {type: start, next: rest}\n  rest: {type: delay, with: {delayValue: 60, delayUnit: seconds}, next: buy}\n  ${BUY.replace('price: 812', 'price: 940')}\n`,
        `at: "2026-11-20T10:00:00", market: [${texts.join()}], expect: {}`,
      )
      const price = market.findLast(({ after }) => after <= 60)?.price
      expect(filled(outcome)).toEqual([`BUY 10 SBIN at ${price}`])
    }),
    { numRuns: 6 },
  )
})
