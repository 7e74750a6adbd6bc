import type { Body } from '../../../src/core/flows/ports.js'
import { graphOf } from '../../core/flows/graphs.js'

/** A request of the largest size that is accepted, or of one that is refused. */
export interface Sent {
  method: 'GET' | 'POST'
  path: string
  body?: object
  text?: string
  type?: string
  /** The HTTP status of the answer, and a part of its text. */
  status: number
  says?: string
}

/** A kind of synchronous work whose size a user chooses. */
export interface Work {
  /** Its name in the table of docs/reliability.md. */
  name: string
  /** Prepares what the requests need. */
  before?: readonly Sent[]
  /** Requests at the bound and above it. */
  sent: readonly Sent[]
}

type Node = readonly [type: string, data: Body]

/** Returns a graph in which so many equal nodes follow the trigger. */
export function fan(count: number, node: Node) {
  const ids = Array.from({ length: count }, (_, at) => `n${at}`)
  return graphOf(Object.fromEntries(ids.map((id) => [id, node])), ...ids.map((id) => `t -> ${id}`))
}

/** Returns an object of so many thousand characters of JSON. */
export const objectOf = (thousands: number) => ({
  rows: Array.from({ length: 50 * thousands }, (_, n) => ({ n: n % 1000, v: 'ab' })),
})

const run = (node: Node, payload: Body, says: string, count = 1): Sent => ({
  method: 'POST',
  path: '/flow/api/run',
  status: 200,
  says,
  body: { ...fan(count, node), payload },
})
const post = (path: string, body: object, status = 200, says?: string): Sent => ({
  method: 'POST',
  path,
  body,
  status,
  ...(says !== undefined && { says }),
})
const get = (path: string): Sent => ({ method: 'GET', path, status: 200 })
const api = (path: string, body: object, status = 200, says?: string) =>
  post(`/api/v1/${path}`, body, status, says)

const REFERENCES = '{{webhook.big}}'.repeat(8_700)
const BIG = { big: objectOf(80) }
const LONG = { text: 'x'.repeat(1_000_000) }
const TOO_LONG = 'A value is longer than 1048576 characters'
const SUM = { sum: '1+1'.padEnd(9_999, '+1') }

const document = (count: number, length: number, name = 'long') => ({
  name,
  description: null,
  ...fan(count, ['log', { message: `{{v}} {{webhook.a}}${' words'.repeat(28)}`.repeat(length) }]),
})
const files = (count: number, graph: object) =>
  Array.from({ length: count }, (_, at) => ({ key: `k${at}`, ...graph, name: `file ${at}` }))
const strategies = Array.from({ length: 1000 }, (_, at) => ({
  key: `k${at}`,
  config: {
    name: `buy ${at}`,
    strategy_kind: 'batch',
    strategy_type: 'positional',
    product: 'MIS',
    underlying: 'SBIN',
    underlying_exchange: 'NSE',
    universe_tab: 'stocks_fno',
    legs: [{ segment: 'cash', position: 'B', lots: 10 }],
  },
}))

const freeze = (rows: number, line: (at: number) => string, status: number, says: string): Sent => ({
  method: 'POST',
  path: '/admin/api/freeze/upload?exchange=NFO',
  type: 'text/csv',
  status,
  says,
  text: `SYMBOL,VOL_FRZ_QTY\n${Array.from({ length: rows }, (_, at) => line(at)).join('\n')}`,
})
const HEADER =
  'instrument_token,exchange_token,tradingsymbol,name,last_price,expiry,strike,tick_size,lot_size,instrument_type,segment,exchange'
const dump = (rows: number, line: (at: number) => string, status: number, says: string): Sent => ({
  method: 'POST',
  path: '/broker/sync?force=true',
  type: 'text/csv',
  status,
  says,
  text: `${HEADER}\n${Array.from({ length: rows }, (_, at) => line(at)).join('\n')}\n`,
})

const LINE = { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', pricetype: 'MARKET', product: 'MIS' }
const basket = (count: number) => ({
  strategy: 'test',
  orders: Array.from({ length: count }, () => ({ ...LINE, quantity: 1 })),
})

/** The kinds of work. Each has a bound, or lets others go first; most do both. */
export const WORKS: readonly Work[] = [
  {
    name: 'Text of a workflow',
    sent: [
      run(['log', { message: REFERENCES }], BIG, TOO_LONG),
      run(['log', { message: ' {{webhook.text}}' }], LONG, '"status":"completed"', 60),
      run(['log', { message: '{{webhook.n}}'.repeat(10_001) }], { n: 1 }, 'more than 10000 references'),
    ],
  },
  {
    name: 'Alert text',
    sent: [
      run(['telegramAlert', { message: REFERENCES }], BIG, TOO_LONG),
      run(['whatsappAlert', { message: REFERENCES }], BIG, TOO_LONG),
    ],
  },
  {
    name: 'Body of a request of a workflow',
    sent: [
      run(
        [
          'httpRequest',
          { url: 'https://example.org', method: 'POST', body: { a: Array(3000).fill('{{webhook.big}}') } },
        ],
        BIG,
        TOO_LONG,
      ),
    ],
  },
  {
    name: 'Condition',
    sent: [
      run(['varCondition', { leftValue: REFERENCES, operator: '==', rightValue: '1' }], BIG, TOO_LONG),
      run(
        ['varCondition', { leftValue: '{{webhook.text}}', operator: '>', rightValue: '0' }],
        { text: '1'.repeat(1_000_000) },
        'did not resolve to a number',
        20,
      ),
    ],
  },
  {
    name: 'Expression',
    sent: [
      run(['mathExpression', { expression: '{{webhook.sum}}' }], SUM, '"status":"completed"', 200),
      run(['mathExpression', { expression: '1+1'.padEnd(10_001, '+1') }], {}, 'longer than 10000 characters'),
    ],
  },
  {
    name: 'Variables of a workflow',
    sent: [
      run(
        ['variable', { variableName: 'v', operation: 'append', value: '{{webhook.text}}' }],
        LONG,
        TOO_LONG,
        20,
      ),
      run(
        ['variable', { variableName: 'v', operation: 'parse_json', value: '{{webhook.text}}' }],
        { text: `[${'1,'.repeat(45_000)}1]` },
        '"status":"completed"',
        20,
      ),
    ],
  },
  {
    name: 'Indicator of a series',
    sent: [
      run(
        [
          'indicator',
          {
            symbol: 'SBIN',
            exchange: 'NSE',
            indicatorName: 'wma',
            params: '{"period": 500}',
            sourceSeries: '{{webhook.s}}',
          },
        ],
        { s: Array.from({ length: 1000 }, (_, at) => at % 100) },
        '"status":"completed"',
        40,
      ),
    ],
  },
  {
    name: 'Workflow document',
    sent: [
      post('/flow/api/workflows/import', document(499, 20), 201),
      post('/flow/api/workflows', document(499, 20), 201),
      post(
        '/flow/api/workflows',
        fan(1, ['log', { message: 'x'.repeat(131_073) }]),
        400,
        'longer than 131072 characters',
      ),
      post('/flow/api/workflows', document(499, 23), 413),
    ],
  },
  {
    name: 'Workflow files',
    sent: [
      post('/flow/api/plan', { workflows: files(600, document(8, 1)) }),
      post('/flow/api/apply', { workflows: files(600, document(8, 1)) }),
      post('/flow/api/apply', { workflows: files(600, document(9, 1)) }),
      get('/flow/api/workflows'),
      post('/flow/api/plan', { workflows: files(3, document(499, 20)) }, 413),
    ],
  },
  {
    name: 'Strategy files',
    sent: [
      post('/strategy/api/plan', { strategies }),
      post('/strategy/api/apply', { strategies }),
      get('/strategy/api/strategies'),
    ],
  },
  {
    name: 'Freeze quantities',
    sent: [
      freeze(5_000, (at) => `SYM${at},${at + 1}`, 200, 'Successfully loaded 5000'),
      freeze(5_000, (at) => `"S""Y${at}",${'x'.repeat(180)}`, 400, '5000 of 5000 rows cannot be used'),
      freeze(19_000, (at) => `SYM${at},${at + 1}`, 400, 'more than 5000 rows'),
      get('/admin/api/freeze'),
    ],
  },
  {
    name: 'Instrument dump',
    sent: [
      dump(200_000, () => 'x,y,z', 400, 'no usable instrument'),
      dump(30_000, () => '', 400, 'blank lines'),
      dump(
        20_000,
        (at) => `${at},${at},SYM${at},NAME ${at % 2000},0,,0,0.05,1,EQ,NSE,NSE`,
        200,
        'Loaded 20000',
      ),
    ],
  },
  {
    name: 'Order basket',
    sent: [
      api('basketorder', basket(500)),
      api('basketorder', basket(501), 400, 'Longer than maximum length 500.'),
      api('basketorder', { ...basket(9_000), orders: Array(9_000).fill({ ...LINE, quantity: 'x' }) }, 400),
    ],
  },
  {
    name: 'JSON body',
    sent: [
      {
        method: 'POST',
        path: '/api/v1/placeorder',
        text: '['.repeat(1_000_000),
        status: 400,
        says: 'too many values',
      },
      {
        method: 'POST',
        path: '/api/v1/placeorder',
        text: `${'['.repeat(90_000)}${']'.repeat(90_000)}`,
        status: 400,
      },
      api(
        'placeorder',
        Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`k${at}`, at])),
        400,
        'too many members',
      ),
      api(
        'placeorder',
        Object.fromEntries(Array.from({ length: 4_900 }, (_, at) => [`k${at}`, at])),
        400,
        'Unknown field',
      ),
    ],
  },
  {
    name: 'Watch list',
    sent: [
      api('multiquotes', {
        symbols: Array.from({ length: 5_000 }, (_, at) => ({
          symbol: at % 2 ? 'SBIN' : 'INFY',
          exchange: 'NSE',
        })),
      }),
    ],
  },
  {
    name: 'Bars',
    sent: [
      api('history', {
        symbol: 'SBIN',
        exchange: 'NSE',
        interval: '1m',
        start_date: '2026-08-14',
        end_date: '2026-11-20',
      }),
      api('history', {
        symbol: 'SBIN',
        exchange: 'NSE',
        interval: 'D',
        start_date: '2022-10-20',
        end_date: '2026-11-20',
      }),
    ],
  },
  {
    name: 'Search',
    sent: [
      api('search', { query: 'A B C D E F G H I J K L' }),
      api('search', { query: 'X'.repeat(255) }),
      get(`/search/api/search?q=${'N%20'.repeat(3000)}`),
      get(`/search/api/search?q=S&instrumenttype=${'X,'.repeat(6000)}`),
    ],
  },
]
