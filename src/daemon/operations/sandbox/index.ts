import { z } from 'zod'
import { publicMessageOf, ServiceError } from '../../../core/errors/index.js'
import {
  EXPORTS,
  type ExportKind,
  type JobStatus,
  type Sandbox,
  type SettingKey,
} from '../../../core/sandbox/index.js'
import { istStamp } from '../../../core/time/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import { CsvText, stampedName } from '../../http/response/csv-file.js'
import { holding, simulatedPosition, trade } from '../account/book-schemas.js'
import type { ActRequest } from '../audit-facts.js'
import { amount, count, messageOnly, ok, text } from '../common/answers.js'
import { csvFileQuery } from '../common/payloads.js'
import { signedIn } from '../running.js'

/** The groups in which the settings are shown. Every setting is in one group. */
const GROUPS: Readonly<Record<string, { title: string; keys: readonly SettingKey[] }>> = {
  capital: { title: 'Capital', keys: ['starting_capital', 'reset_day', 'reset_time'] },
  leverage: {
    title: 'Leverage',
    keys: [
      'equity_mis_leverage',
      'equity_cnc_leverage',
      'futures_leverage',
      'option_buy_leverage',
      'option_sell_leverage',
    ],
  },
  square_off: {
    title: 'Square-off times (IST)',
    keys: [
      'nse_bse_square_off_time',
      'cds_bcd_square_off_time',
      'mcx_square_off_time',
      'ncdex_square_off_time',
    ],
  },
  intervals: {
    title: 'Intervals and rates',
    keys: [
      'order_check_interval',
      'mtm_update_interval',
      'order_rate_limit',
      'api_rate_limit',
      'smart_order_rate_limit',
      'smart_order_delay',
    ],
  },
  expiry: { title: 'Expiry settlement', keys: ['expiry_settlement_timing', 'option_expiry_settlement'] },
  gtt: { title: 'Good till triggered', keys: ['gtt_oco_margin_mode', 'gtt_claim_timeout_sec'] },
}

const FILES: Readonly<Record<ExportKind, { name: string; none: string }>> = {
  daily: { name: 'sandbox_daily_pnl', none: 'No daily P&L data to export' },
  positions: { name: 'sandbox_positions', none: 'No positions data to export' },
  holdings: { name: 'sandbox_holdings', none: 'No holdings data to export' },
  trades: { name: 'sandbox_trades', none: 'No trades data to export' },
}

const RESET_TEXT =
  'Configuration and data reset to defaults successfully. All orders, trades, positions, holdings, and P&L history have been cleared.'

const simulated = signedIn('Sandbox', 'api')

const reading = { scopes: ['read', 'settings'] } as const
const changing = { scopes: ['settings'] } as const
const json = ['validation', 'too_large', 'unsupported_media'] as const

const settingPayload = z.object({
  config_key: fields.text(100).optional(),
  config_value: z.union([z.string().max(255), z.number()]).optional(),
})

const configList = ok({
  configs: z.record(
    z.string(),
    z.strictObject({
      title: text,
      configs: z.record(
        z.string(),
        z.strictObject({ value: text, default: text, range: text, description: text }),
      ),
    }),
  ),
})

const stamp = text.nullable()
const schedule = ok({
  data: z.strictObject({
    running: z.boolean(),
    timezone: text,
    jobs: z.array(z.strictObject({ id: text, next_run: stamp, last_due: stamp, last_run: stamp })),
  }),
})

const profitReport = ok({
  data: z.strictObject({
    summary: z.strictObject({
      total_capital: amount,
      available_balance: amount,
      used_margin: amount,
      portfolio_value: amount,
      today_realized_pnl: amount,
      positions_unrealized_pnl: amount,
      holdings_unrealized_pnl: amount,
      today_total_mtm: amount,
      all_time_realized_pnl: amount,
      total_pnl: amount,
      last_reset: text,
      reset_count: count,
    }),
    daily_pnl: z.array(
      z.strictObject({
        date: text,
        realized_pnl: amount,
        positions_unrealized_pnl: amount,
        holdings_unrealized_pnl: amount,
        total_unrealized_pnl: amount,
        total_mtm: amount,
        available_balance: amount,
        used_margin: amount,
        portfolio_value: amount,
      }),
    ),
    positions: z.array(
      z.strictObject({
        ...simulatedPosition,
        all_time_realized_pnl: amount,
        margin_blocked: amount,
        status: z.enum(['Open', 'Closed']),
        last_updated: text,
      }),
    ),
    holdings: z.array(holding),
    trades: z.array(trade),
  }),
})

/** The simulated account: its configuration, schedule, profit and reset. */
export const SANDBOX_OPERATIONS = {
  'GET /sandbox/api/configs': simulated('Lists the sandbox settings by group.', {
    ...reading,
    answer: configList,
    run: async ({ sandbox }) => ({ status: 'success', configs: await configsOf(sandbox) }),
  }),
  'POST /sandbox/update': simulated('Changes a sandbox setting.', {
    ...changing,
    body: settingPayload,
    example: { config_key: 'equity_mis_leverage', config_value: '5' },
    answer: messageOnly,
    errors: json,
    audit: { act: 'sandbox.set', values: settingValues },
    run: async ({ sandbox }, { body: { config_key: key, config_value: value } }) => {
      await sandbox.changeSetting(key, value === undefined ? undefined : String(value))
      return { status: 'success', message: `Configuration ${key} updated successfully` }
    },
  }),
  'POST /sandbox/reset': simulated('Resets the simulated account and its settings.', {
    ...changing,
    answer: messageOnly,
    audit: { act: 'sandbox.reset', values: recordedOrders },
    run: async ({ sandbox, risk }, _input, { username }) => {
      await sandbox.reset(username)
      risk.recount(username, 'analyze')
      return { status: 'success', message: RESET_TEXT }
    },
  }),
  'POST /sandbox/reload-squareoff': simulated('Reloads the square-off times.', {
    ...changing,
    answer: messageOnly,
    audit: { act: 'sandbox.reload_squareoff' },
    run: ({ sandbox }) => {
      sandbox.reschedule()
      return { status: 'success', message: 'Square-off schedule reloaded successfully' }
    },
  }),
  'GET /sandbox/squareoff-status': simulated('Returns the schedule of the sandbox jobs.', {
    ...reading,
    answer: schedule,
    run: async ({ sandbox }) => {
      const { running, jobs } = await sandbox.schedule()
      return { status: 'success', data: { running, timezone: 'Asia/Kolkata', jobs: jobs.map(jobView) } }
    },
  }),
  'GET /sandbox/mypnl/api/data': simulated('Returns profit and history.', {
    ...reading,
    answer: profitReport,
    run: async ({ sandbox }, _input, { username }) => ({
      status: 'success',
      data: await sandbox.reports.overview(username),
    }),
  }),
  'GET /sandbox/mypnl/export/:kind': simulated('Exports profit and history as a CSV file.', {
    ...reading,
    params: { kind: 'daily, positions, holdings or trades.' },
    query: csvFileQuery,
    answerText: 'text/csv',
    errors: ['not_found', 'validation'],
    run: async ({ sandbox, clock }, { params }, { username }) => {
      const kind = EXPORTS.find((one) => one === params.kind)
      const path = `/sandbox/mypnl/export/${params.kind}`
      if (!kind) throw new ServiceError('not_found', 'Not found', { extra: { path } })
      const { name, none } = FILES[kind]
      const csv = await exported(sandbox, username, kind)
      if (csv === undefined) throw new ServiceError('not_found', none)
      return new CsvText(stampedName(name, clock.now()), csv)
    },
  }),
}

/** Returns the settings by group. */
async function configsOf(sandbox: Sandbox) {
  const settings = new Map((await sandbox.settings()).map(({ key, ...setting }) => [key, setting]))
  const entryOf = (key: SettingKey) => {
    const setting = settings.get(key)
    return setting ? [[key, setting] as const] : []
  }
  return Object.fromEntries(
    Object.entries(GROUPS).map(([group, { title, keys }]) => [
      group,
      { title, configs: Object.fromEntries(keys.flatMap((key) => entryOf(key))) },
    ]),
  )
}

async function exported(sandbox: Sandbox, userId: string, kind: ExportKind): Promise<string | undefined> {
  try {
    return await sandbox.reports.csv(userId, kind)
  } catch (error) {
    throw new ServiceError('internal', `Error exporting data: ${publicMessageOf(error)}`, { cause: error })
  }
}

function jobView({ name, nextAt, lastDueAt, lastRanAt }: JobStatus) {
  const stamp = (at: number | undefined) => (at === undefined ? null : istStamp(at))
  return { id: name, next_run: stamp(nextAt), last_due: stamp(lastDueAt), last_run: stamp(lastRanAt) }
}

async function settingValues({ service }: ActRequest<RunningService>) {
  return Object.fromEntries((await service.sandbox.settings()).map(({ key, value }) => [key, value]))
}

/** A reset removes the orders of the account, so they are recorded before. */
function recordedOrders({ service }: ActRequest<RunningService>) {
  return service.orderAudit.catchUp()
}
