import type { Column } from '../../../views/table/column.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import { EXIT } from '../../framework/exit-codes.js'
import { findId, STRATEGY } from './find.js'

const STATUSES = ['stopped', 'running', 'paused', 'errored'] as const

export const STRATEGY_COLUMNS = [
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
    { flags: '--search <text>', summary: 'a part of the name or of the underlying' },
  ],
  isWatchable: true,
  calls: 'GET /strategy/api/strategies',
  request: (input) => ({ query: input.fields({ status: 'status', search: 'q' }) }),
  list: ({ data }) => ({
    rows: data,
    columns: STRATEGY_COLUMNS,
    id: 'id',
    empty: 'There are no strategies. Make one: svc strategy create FILE',
  }),
})

function reservedNote(id: string, run: number | null): string {
  return `Run ${run} is reserved: nobody manages its positions. See why: svc strategy events ${id} --severity critical. End it: svc strategy release ${id}`
}

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

export const show: CommandSpec = {
  name: 'show',
  summary: 'Shows a strategy and its legs; never its webhook token.',
  examples: ['strategy show 1', 'strategy show morning-straddle --json'],
  arguments: [STRATEGY],
  async run(context, input) {
    const id = await findId(context, input.required(0))
    const { data } = (await context.read('GET /strategy/api/strategies/:id', { params: { id } })).body
    await context.out.record({ record: data, fields: FIELDS, id: 'id' })
    if (data.run_state === 'reserved') context.out.note(reservedNote(id, data.current_run_id))
    if (context.settings.format !== undefined || context.settings.columns.length > 0) return EXIT.done
    context.out.write('\n')
    const common = [{ key: 'id' }, { key: 'segment' }] as const
    const risk = [
      { key: 'sl_pts', title: 'STOP' },
      { key: 'target_pts', title: 'TARGET' },
      { key: 'risk_unit', title: 'UNIT' },
    ] as const
    const own =
      data.strategy_kind === 'batch'
        ? ([
            { key: 'position' },
            { key: 'lots' },
            { key: 'option_type', title: 'TYPE' },
            { key: 'expiry' },
          ] as const)
        : ([{ key: 'symbol' }, { key: 'exchange' }, { key: 'side' }, { key: 'qty' }] as const)
    await context.out.list({ rows: data.legs, columns: [...common, ...own, ...risk], id: 'id', empty: '' })
    return EXIT.done
  },
}
