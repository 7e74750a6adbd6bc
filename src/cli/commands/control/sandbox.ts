import type { RouteAnswer } from '../../../client/endpoints.js'
import { cellText } from '../../../views/table/cells.js'
import type { Column } from '../../../views/table/column.js'
import { countText } from '../../../views/text/count.js'
import { type Assignment, parseAssignments } from '../../framework/assignments.js'
import type { CommandSpec, NounSpec } from '../../framework/command/command.js'
import { called, declared, either } from '../../framework/command/declared.js'
import type { Context } from '../../framework/context.js'
import { usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { nearest } from '../../framework/nearest.js'
import { confirmSevere, type Look, sessionDestination } from '../../io/confirm.js'

type Settings = RouteAnswer<'GET /sandbox/api/configs'>

/** A setting of the sandbox with its key and its group. */
interface Setting {
  key: string
  value: string
  default: string
  range: string
  description: string
  group: string
}

const COLUMNS = [
  { key: 'key' },
  { key: 'value' },
  { key: 'default', leaves: 2 },
  { key: 'range', title: 'VALUES', leaves: 3 },
  { key: 'description', title: 'MEANING', leaves: 1 },
  { key: 'group', wide: true },
] as const satisfies readonly Column<keyof Setting>[]

/** Returns the settings of the sandbox. */
export async function readSettings(context: Context): Promise<Setting[]> {
  return settingsIn((await context.read('GET /sandbox/api/configs')).body)
}

function settingsIn({ configs: groups }: Settings): Setting[] {
  return Object.entries(groups).flatMap(([group, { configs }]) =>
    Object.entries(configs).map(([key, setting]) => ({ key, ...setting, group })),
  )
}

/** Returns a setting as a terminal shows it: amounts of rupees are grouped. */
function grouped(setting: Setting): Setting {
  const amount = (value: string) => (RUPEES.test(value) ? cellText(value, 'money', GROUPED) : value)
  return { ...setting, value: amount(setting.value), default: amount(setting.default) }
}

const RUPEES = /^\d+\.\d{2}$/
const GROUPED = { human: true, utc: false, now: 0 }

/** @throws a usage error that names the nearest setting */
function findSetting(settings: readonly Setting[], key: string): Setting {
  const found = settings.find((setting) => setting.key === key)
  if (found !== undefined) return found
  const keys = settings.map((setting) => setting.key)
  const near = nearest(key, keys)
  const hint = near === undefined ? 'List them: svc sandbox config list' : `Did you mean ${near}?`
  throw usageError(`There is no sandbox setting "${key}".`, hint)
}

const list = declared({
  name: 'list',
  summary: 'Lists the settings of the sandbox: value, default, accepted values and meaning.',
  examples: ['sandbox config list', 'sandbox config list --json', 'sandbox config list -o wide'],
  columns: COLUMNS,
  calls: 'GET /sandbox/api/configs',
  list(answer, { context }) {
    const settings = settingsIn(answer)
    const rows = context.out.isHuman ? settings.map(grouped) : settings
    return { rows, columns: COLUMNS, id: 'key', empty: 'No settings.' }
  },
})

const get = declared({
  name: 'get',
  summary: 'Shows one setting of the sandbox.',
  examples: ['sandbox config get starting_capital', 'sandbox config get reset_day --jq .value'],
  arguments: [{ syntax: '<key>', summary: 'key from svc sandbox config list', complete: 'sandboxSettings' }],
  calls: 'GET /sandbox/api/configs',
  record: (answer, { input }) => ({
    record: findSetting(settingsIn(answer), input.required(0)),
    fields: COLUMNS,
    id: 'value',
  }),
})

const set: CommandSpec = {
  name: 'set',
  summary: 'Changes settings of the sandbox, effective at once.',
  examples: [
    'sandbox config set equity_mis_leverage 4',
    'sandbox config set reset_day=Sunday reset_time=08:30',
    'sandbox config set starting_capital=1000000',
  ],
  details:
    'The settings are changed one by one, in the order given. At the first value that is refused, the command ends; it names the settings that are already changed.',
  arguments: [{ syntax: '<key=value...>', summary: 'a setting and its value', complete: 'sandboxSettings' }],
  async run(context, input) {
    const given = parseAssignments(input.words(0), 'svc sandbox config set equity_mis_leverage=4')
    const settings = await readSettings(context)
    for (const { key } of given) findSetting(settings, key)
    const changed: string[] = []
    for (const assignment of given) {
      await change(context, settings, assignment, changed)
      changed.push(assignment.key)
    }
    const rows = (await readSettings(context)).filter(({ key }) => changed.includes(key))
    await context.out.list({ rows, columns: COLUMNS, id: 'key', empty: '' })
    return EXIT.done
  },
}

/** Changes one setting. A refusal names the accepted values, and the settings changed before it. */
async function change(
  context: Context,
  settings: readonly Setting[],
  { key, value }: Assignment,
  changed: readonly string[],
): Promise<void> {
  try {
    await context.change('POST /sandbox/update', { body: { config_key: key, config_value: value } })
  } catch (thrown) {
    context.out.note(`${key} accepts: ${findSetting(settings, key).range}`)
    if (changed.length > 0) context.out.note(`Already changed: ${changed.join(', ')}`)
    throw thrown
  }
}

const config: CommandSpec = {
  name: 'config',
  summary: 'The settings of the sandbox: capital, leverage, square-off times, reset.',
  examples: ['sandbox config list', 'sandbox config set equity_mis_leverage 4'],
  verbs: [list, get, set],
}

type Pnl = RouteAnswer<'GET /sandbox/mypnl/api/data'>['data']
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

const POSITION_COLUMNS = [
  { key: 'symbol' },
  { key: 'exchange', title: 'EXCH', leaves: 5 },
  { key: 'product', leaves: 4 },
  { key: 'quantity', title: 'QTY', kind: 'quantity' },
  { key: 'unrealized_pnl', title: 'OPEN ₹', kind: 'signed' },
  { key: 'today_realized_pnl', title: 'REALISED TODAY ₹', kind: 'signed' },
  { key: 'all_time_realized_pnl', title: 'REALISED EVER ₹', kind: 'signed', leaves: 2 },
  { key: 'margin_blocked', title: 'MARGIN ₹', kind: 'money', leaves: 3 },
  { key: 'status', kind: 'status', leaves: 1 },
  { key: 'average_price', title: 'AVG', kind: 'price', wide: true },
  { key: 'ltp', title: 'LAST', kind: 'price', wide: true },
  { key: 'last_updated', title: 'CHANGED', kind: 'time', wide: true },
] as const satisfies readonly Column<keyof Position>[]

const PARTS = ['summary', 'days', 'positions'] as const

const summary = called({
  calls: 'GET /sandbox/mypnl/api/data',
  record: ({ data }) => ({ record: data.summary, fields: SUMMARY, id: 'total_pnl' }),
})

const days = called({
  calls: 'GET /sandbox/mypnl/api/data',
  list: ({ data }) => ({ rows: data.daily_pnl, columns: DAYS, id: 'date', empty: 'No day has ended yet.' }),
})

const positions = called({
  calls: 'GET /sandbox/mypnl/api/data',
  list: ({ data }) => ({
    rows: data.positions,
    columns: POSITION_COLUMNS,
    id: 'symbol',
    empty: 'No positions yet.',
  }),
})

const pnl: CommandSpec = {
  name: 'pnl',
  summary: 'Profit and loss of the simulated account: a summary, by day, or by position.',
  examples: [
    'sandbox pnl',
    'sandbox pnl days',
    'sandbox pnl positions -o csv',
    'sandbox pnl --jq .total_pnl',
  ],
  arguments: [{ syntax: '[part]', summary: 'part (default: summary)', choices: PARTS }],
  run: either(
    (input) => input.argument(0) === 'days',
    days,
    either((input) => input.argument(0) === 'positions', positions, summary),
  ),
}

const reset = declared({
  name: 'reset',
  summary:
    'Clears the simulated account: orders, trades, positions, holdings and history. Its settings go back to their defaults.',
  examples: ['sandbox reset', 'sandbox reset --confirm RESET'],
  details:
    'Asks for the word RESET, or takes it from --confirm. Live orders and positions at the broker are not touched.',
  options: [{ flags: '--confirm <word>', summary: 'RESET, for scripts' }],
  calls: 'POST /sandbox/reset',
  confirms: ({ context, input }) =>
    confirmSevere(context, input, {
      word: 'RESET',
      question: () => 'The simulated account is cleared, and its settings go back to their defaults',
      look: () => simulatedAccount(context),
    }),
  followUp: () => 'Check with: svc sandbox pnl',
  acted: () => 'The simulated account is cleared. Next: svc sandbox config list',
})

/** Returns the positions and holdings that a reset removes. */
async function simulatedAccount(context: Context): Promise<Look<Pnl['positions'][number]>> {
  const destination = await sessionDestination(context)
  const { positions, holdings, summary } = (await context.read('GET /sandbox/mypnl/api/data')).body.data
  const open = positions.filter(({ quantity }) => quantity !== 0)
  return {
    destination,
    facts: [
      `simulated account: ${countText(open.length, 'open position')}, ${countText(holdings.length, 'holding')}`,
    ],
    value: summary.portfolio_value,
    list: { rows: open, columns: POSITION_COLUMNS },
  }
}

const jobs = declared({
  name: 'jobs',
  summary: 'Lists the timed jobs of the sandbox: square-off, settlement, reset.',
  examples: ['sandbox jobs', 'sandbox jobs --json'],
  calls: 'GET /sandbox/squareoff-status',
  list: ({ data }) => ({
    rows: data.jobs,
    id: 'id',
    empty: 'No jobs.',
    columns: [
      { key: 'id', title: 'JOB' },
      { key: 'next_run', title: 'NEXT RUN', kind: 'time' },
      { key: 'last_run', title: 'LAST RUN', kind: 'time', leaves: 1 },
      { key: 'last_due', title: 'LAST DUE', kind: 'time', leaves: 2 },
    ],
  }),
})

export const sandbox: NounSpec = {
  summary: 'The simulated account of Analyzer mode: its settings, profit and reset.',
  examples: [
    'sandbox config list',
    'sandbox config set equity_mis_leverage 4',
    'sandbox pnl',
    'sandbox reset',
  ],
  verbs: [config, pnl, jobs, reset],
}
