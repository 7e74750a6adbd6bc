import type { AnswerOf } from '../../../client/endpoints.js'
import type { CommandSpec } from '../../framework/command.js'
import type { Context } from '../../framework/context.js'
import { EXIT } from '../../framework/exit-codes.js'
import type { Column, ListView } from '../../output/output.js'
import { WATCH_OPTIONS, watchable } from '../../output/watch.js'

/** A book of the account: its API endpoint and its view. */
interface Book<Row extends object> extends Omit<ListView<Row>, 'rows'> {
  rows(context: Context): Promise<readonly Row[]>
}

const INSTRUMENT = [
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH' },
  { key: 'product' },
] as const satisfies readonly Column[]

const POSITIONS: Book<AnswerOf<'positionbook'>['data'][number]> = {
  rows: async (context) => (await context.apiRead('positionbook')).body.data,
  id: 'symbol',
  empty: 'No positions. Place an order: svc order place SBIN NSE BUY 10',
  columns: [
    ...INSTRUMENT,
    { key: 'quantity', title: 'QTY', kind: 'quantity' },
    { key: 'average_price', title: 'AVG', kind: 'money' },
    { key: 'ltp', title: 'LAST', kind: 'money' },
    { key: 'pnl', title: 'P&L ₹', kind: 'signed' },
  ],
}

const TRADES: Book<AnswerOf<'tradebook'>['data'][number]> = {
  rows: async (context) => (await context.apiRead('tradebook')).body.data,
  id: 'orderid',
  empty: 'No trades in this session.',
  columns: [
    { key: 'timestamp', title: 'TIME', kind: 'time' },
    { key: 'orderid', title: 'ORDER' },
    ...INSTRUMENT,
    { key: 'action', kind: 'status' },
    { key: 'quantity', title: 'QTY', kind: 'quantity' },
    { key: 'average_price', title: 'PRICE', kind: 'money' },
    { key: 'trade_value', title: 'VALUE ₹', kind: 'money' },
  ],
}

const HOLDINGS: Book<AnswerOf<'holdings'>['data']['holdings'][number]> = {
  rows: async (context) => (await context.apiRead('holdings')).body.data.holdings,
  id: 'symbol',
  empty: 'No holdings.',
  columns: [
    ...INSTRUMENT,
    { key: 'quantity', title: 'QTY', kind: 'quantity' },
    { key: 'average_price', title: 'AVG', kind: 'money' },
    { key: 'pnl', title: 'P&L ₹', kind: 'signed' },
    { key: 'pnlpercent', title: 'P&L %', kind: 'signed' },
  ],
}

async function read<Row extends object>(context: Context, book: Book<Row>): Promise<ListView<Row>> {
  return { ...book, rows: await book.rows(context) }
}

function listOf<Row extends object>(name: string, book: Book<Row>, summary: string): CommandSpec {
  return {
    name: 'list',
    summary,
    examples: [`${name} list`, `${name} list --watch`, `${name} list -o csv`, `${name} list --json`],
    options: WATCH_OPTIONS,
    run: (context, input) => watchable(context, input, () => read(context, book)),
  }
}

function noun(name: string, summary: string, verb: CommandSpec): CommandSpec {
  return { name, summary, examples: verb.examples, verbs: [verb] }
}

export const positions = listOf('position', POSITIONS, 'Lists the positions of the session.')
export const trade = noun('trade', 'Trades.', listOf('trade', TRADES, 'Lists the trades of the session.'))
export const holding = noun(
  'holding',
  'Delivery holdings.',
  listOf('holding', HOLDINGS, 'Lists the holdings.'),
)

const FUND_FIELDS = [
  { key: 'availablecash', title: 'AVAILABLE ₹', kind: 'money' },
  { key: 'utiliseddebits', title: 'USED MARGIN ₹', kind: 'money' },
  { key: 'collateral', title: 'COLLATERAL ₹', kind: 'money' },
  { key: 'm2mrealized', title: 'REALISED ₹', kind: 'signed' },
  { key: 'm2munrealized', title: 'UNREALISED ₹', kind: 'signed' },
  { key: 'totalpnl', title: 'TOTAL P&L ₹', kind: 'signed' },
] as const satisfies readonly Column[]

export const fund = noun('fund', 'Cash, margin and profit and loss of the account.', {
  name: 'list',
  summary: 'Shows the funds.',
  examples: ['fund list', 'fund list --json'],
  async run(context) {
    const { body } = await context.apiRead('funds')
    await context.out.record({ record: body.data, fields: FUND_FIELDS, id: 'availablecash' })
    return EXIT.done
  },
})
