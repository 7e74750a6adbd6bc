import type { RouteAnswer } from '../../../client/endpoints.js'
import type { Column } from '../../../views/table/column.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { EXIT } from '../../framework/exit-codes.js'

export type Pnl = RouteAnswer<'GET /sandbox/mypnl/api/data'>['data']
type Day = Pnl['daily_pnl'][number]
type Position = Pnl['positions'][number]

const SUMMARY = [
  { key: 'portfolio_value', title: 'ACCOUNT VALUE ₹', kind: 'money' },
  { key: 'available_balance', title: 'AVAILABLE ₹', kind: 'money' },
  { key: 'used_margin', title: 'USED MARGIN ₹', kind: 'money' },
  { key: 'today_realized_pnl', title: 'REALISED TODAY ₹', kind: 'signed' },
  { key: 'positions_unrealized_pnl', title: 'OPEN POSITIONS ₹', kind: 'signed' },
  { key: 'holdings_unrealized_pnl', title: 'HOLDINGS ₹', kind: 'signed' },
  { key: 'today_total_mtm', title: 'TODAY ₹', kind: 'signed' },
  { key: 'all_time_realized_pnl', title: 'REALISED EVER ₹', kind: 'signed' },
  { key: 'total_pnl', title: 'TOTAL P&L ₹', kind: 'signed' },
  { key: 'total_capital', title: 'STARTING CAPITAL ₹', kind: 'money' },
  { key: 'last_reset', title: 'LAST RESET', kind: 'time' },
  { key: 'reset_count', title: 'RESETS', kind: 'quantity' },
] as const satisfies readonly Column<keyof Pnl['summary']>[]

const DAYS = [
  { key: 'date' },
  { key: 'realized_pnl', title: 'REALISED ₹', kind: 'signed' },
  { key: 'positions_unrealized_pnl', title: 'POSITIONS ₹', kind: 'signed', leaves: 3 },
  { key: 'holdings_unrealized_pnl', title: 'HOLDINGS ₹', kind: 'signed', leaves: 4 },
  { key: 'total_unrealized_pnl', title: 'OPEN ₹', kind: 'signed', leaves: 2 },
  { key: 'total_mtm', title: 'TOTAL ₹', kind: 'signed' },
  { key: 'available_balance', title: 'AVAILABLE ₹', kind: 'money', leaves: 5 },
  { key: 'used_margin', title: 'USED MARGIN ₹', kind: 'money', leaves: 6 },
  { key: 'portfolio_value', title: 'ACCOUNT VALUE ₹', kind: 'money', leaves: 1 },
] as const satisfies readonly Column<keyof Day>[]

export const POSITION_COLUMNS = [
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH', leaves: 5 },
  { key: 'product', leaves: 4 },
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'unrealized_pnl', title: 'OPEN ₹', kind: 'signed' },
  { key: 'today_realized_pnl', title: 'REALISED TODAY ₹', kind: 'signed' },
  { key: 'all_time_realized_pnl', title: 'REALISED EVER ₹', kind: 'signed', leaves: 2 },
  { key: 'margin_blocked', title: 'MARGIN ₹', kind: 'money', leaves: 3 },
  { key: 'status', kind: 'status', leaves: 1 },
] as const satisfies readonly Column<keyof Position>[]

const PARTS = ['summary', 'days', 'positions'] as const

export const pnl: CommandSpec = {
  name: 'pnl',
  summary: 'Profit and loss of the simulated account: a summary, by day, or by position.',
  examples: [
    'sandbox pnl',
    'sandbox pnl days',
    'sandbox pnl positions -o csv',
    'sandbox pnl --jq .total_pnl',
  ],
  arguments: [{ syntax: '[part]', summary: 'part (default: summary)', choices: PARTS }],
  async run(context, input) {
    const { out } = context
    const part = PARTS.find((name) => name === input.argument(0)) ?? 'summary'
    const { data } = (await context.read('GET /sandbox/mypnl/api/data')).body
    if (part === 'summary') await out.record({ record: data.summary, fields: SUMMARY, id: 'total_pnl' })
    if (part === 'days')
      await out.list({ rows: data.daily_pnl, columns: DAYS, id: 'date', empty: 'No day has ended yet.' })
    if (part === 'positions')
      await out.list({
        rows: data.positions,
        columns: POSITION_COLUMNS,
        id: 'symbol',
        empty: 'No positions yet.',
      })
    return EXIT.done
  },
}
