import type { RouteAnswer } from '../../../client/endpoints.js'
import type { Column } from '../../../views/table/column.js'
import { declared } from '../../framework/command/declared.js'
import { confirmAct, sessionDestination } from '../../io/confirm.js'
import { readInput } from '../order/request.js'
import { contractFindingsIfAny, noteUnchecked, patchFindingsIfAny } from './files/contracts.js'
import { unreadable } from './files/load.js'
import { findId, STRATEGY, strategyOf } from './find.js'

const STATUSES = ['stopped', 'running', 'paused', 'errored'] as const

const STRATEGY_COLUMNS = [
  { key: 'id', kind: 'quantity' },
  { key: 'file_key', title: 'KEY', leaves: 2 },
  { key: 'name' },
  { key: 'strategy_kind', title: 'KIND' },
  { key: 'underlying', leaves: 3 },
  { key: 'status', kind: 'status' },
  { key: 'run_state', title: 'RUN STATE', kind: 'status', leaves: 6 },
  { key: 'live_enabled', title: 'LIVE' },
  { key: 'webhook_locked', title: 'LOCKED', leaves: 4 },
  { key: 'drifted', leaves: 5 },
  { key: 'updated_at', title: 'CHANGED', kind: 'time', leaves: 1 },
] as const satisfies readonly Column[]

export const list = declared({
  name: 'list',
  summary: 'Lists the strategies, newest first.',
  examples: ['strategy list', 'strategy list --status running', 'strategy list --search nifty --json'],
  options: [
    { flags: '--status <status>', summary: 'only strategies in this state', choices: STATUSES },
    { flags: '--search <text>', field: 'q', summary: 'a part of the name or of the underlying' },
  ],
  columns: STRATEGY_COLUMNS,
  isWatchable: true,
  calls: 'GET /strategy/api/strategies',
  request: (input) => ({ query: input.fields({ status: 'status', search: 'q' }) }),
  list: ({ data }) => ({
    rows: data,
    columns: STRATEGY_COLUMNS,
    id: 'id',
    record: 'strategy',
    empty: 'There are no strategies. Make one: svc strategy create FILE',
  }),
})

function reservedNote(id: string, run: number | null): string {
  return `Run ${run} is reserved: nobody manages its positions. See why: svc strategy events ${id} --severity critical. End it: svc strategy release ${id}`
}

/** Returns how contracts are held overnight that a strategy of product CNC asks for; undefined if it has none. */
function carriedNote({ legs, product }: Pick<Strategy, 'legs' | 'product'>): string | undefined {
  if (product !== 'CNC' || legs.every(({ segment }) => segment === 'cash')) return undefined
  return 'Its options and futures are sent as NRML: CNC is only for shares.'
}

type Strategy = RouteAnswer<'GET /strategy/api/strategies/:id'>['data']

const FIELDS = [
  ...STRATEGY_COLUMNS,
  { key: 'strategy_type', title: 'TYPE' },
  { key: 'underlying_exchange', title: 'EXCHANGE' },
  { key: 'product' },
  { key: 'entry_time', title: 'ENTRY' },
  { key: 'exit_time', title: 'EXIT' },
  { key: 'overall_sl_mtm', title: 'STOP LOSS', kind: 'money' },
  { key: 'overall_target_mtm', title: 'TARGET', kind: 'money' },
  { key: 'daily_loss_limit_inr', title: 'DAILY LOSS LIMIT', kind: 'money' },
  { key: 'current_run_id', title: 'RUN' },
] as const satisfies readonly Column[]

const LEG = [{ key: 'id' }, { key: 'segment' }] as const
const BATCH_LEG = [
  { key: 'position' },
  { key: 'lots' },
  { key: 'option_type', title: 'TYPE' },
  { key: 'expiry' },
] as const
const SIGNAL_LEG = [{ key: 'symbol' }, { key: 'exchange' }, { key: 'side' }, { key: 'qty' }] as const
const LEG_RISK = [
  { key: 'sl_pts', title: 'STOP' },
  { key: 'target_pts', title: 'TARGET' },
  { key: 'risk_unit', title: 'UNIT' },
] as const

export const show = declared({
  name: 'show',
  summary: 'Shows a strategy and its legs; never its webhook token.',
  examples: ['strategy show 1', 'strategy show morning-straddle --json'],
  arguments: [STRATEGY],
  columns: FIELDS,
  calls: 'GET /strategy/api/strategies/:id',
  request: strategyOf,
  record: ({ data }) => ({ record: data, fields: FIELDS, id: 'id' }),
  note: ({ data }, { request }) =>
    data.run_state === 'reserved' ? reservedNote(request.params.id, data.current_run_id) : carriedNote(data),
  parts: ({ data: { legs, strategy_kind } }) => ({
    rows: legs,
    columns: [...LEG, ...(strategy_kind === 'batch' ? BATCH_LEG : SIGNAL_LEG), ...LEG_RISK],
    id: 'id',
    empty: '',
  }),
})

const FILE = { syntax: '<file>', summary: 'a strategy file (YAML or JSON); - reads stdin' }
const CHECK_LIST = 'Check the strategies: svc strategy list'

const fileName = (file: string) => (file === '-' ? 'stdin.yaml' : file)

export const create = declared({
  name: 'create',
  summary: 'Stores a new strategy from a file. Its webhook token is shown only once.',
  examples: ['strategy create straddle.yaml', 'strategy create - < straddle.json'],
  details:
    'Underlyings and symbols that the daemon does not list are refused, with exit 2. For files that are kept in git, use svc\n' +
    'strategy apply.',
  arguments: [FILE],
  calls: 'POST /strategy/api/strategies',
  async request(input, context) {
    const file = input.required(0)
    const { readStrategyFile } = await import('../../../core/strategies/files/index.js')
    const read = readStrategyFile(await readInput(file, context.io), fileName(file))
    if (!read.ok) throw await unreadable(read.findings)
    const looked = await contractFindingsIfAny(context, [read.value])
    if (looked.findings.length > 0) throw await unreadable(looked.findings)
    noteUnchecked(context, looked)
    return { body: { ...read.value.config } }
  },
  followUp: () => CHECK_LIST,
  record: ({ data, webhook_token }) => ({
    record: { id: data.id, name: data.name, webhook_token },
    fields: [{ key: 'id' }, { key: 'name' }, { key: 'webhook_token', title: 'WEBHOOK TOKEN' }],
    id: 'id',
  }),
  note: ({ data, message }) => [message, carriedNote(data)].filter(Boolean).join(' '),
})

export const update = declared({
  name: 'update',
  summary: 'Changes the fields of a strategy that a file names. The strategy must not run.',
  examples: ['strategy update 1 changes.yaml', 'echo "product: MIS" | svc strategy update 1 -'],
  details: 'Underlyings and symbols that the daemon does not list are refused, with exit 2.',
  arguments: [STRATEGY, FILE],
  calls: 'PATCH /strategy/api/strategies/:id',
  async request(input, context) {
    const [word, file] = [input.required(0), input.required(1)]
    const { readStrategyPatch } = await import('../../../core/strategies/files/index.js')
    const read = readStrategyPatch(await readInput(file, context.io), fileName(file))
    if (!read.ok) throw await unreadable(read.findings)
    const id = await findId(context, word)
    const looked = await patchFindingsIfAny(context, id, read.value)
    if (looked.findings.length > 0) throw await unreadable(looked.findings)
    noteUnchecked(context, looked)
    return { params: { id }, body: read.value.fields }
  },
  followUp: ({ request }) => `See the strategy: svc strategy show ${request.params.id}`,
  record: ({ data }) => ({ record: data, fields: STRATEGY_COLUMNS, id: 'id' }),
  note: ({ data }) => carriedNote(data),
})

export const remove = declared({
  name: 'delete',
  summary: 'Deletes a strategy with its runs, orders and events.',
  examples: ['strategy delete 1', 'strategy delete old-straddle --yes'],
  arguments: [STRATEGY],
  calls: 'DELETE /strategy/api/strategies/:id',
  request: strategyOf,
  confirms: ({ context, input, request: { params } }) =>
    confirmAct(context, `Delete strategy ${input.required(0)} with its runs, orders and events`, async () => {
      const { data } = (await context.read('GET /strategy/api/strategies/:id', { params })).body
      const destination = await sessionDestination(context)
      return { destination, facts: [data.status], list: { rows: [data], columns: STRATEGY_COLUMNS } }
    }),
  followUp: () => CHECK_LIST,
  acted: (_, { input }) => `Strategy ${input.required(0)} is deleted.`,
  document: (answer, { request }) => ({ id: Number(request.params.id), ...answer }),
})
