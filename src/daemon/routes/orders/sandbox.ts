import { publicMessageOf, ServiceError } from '../../../core/errors/index.js'
import type { RiskGate } from '../../../core/risk/index.js'
import {
  EXPORTS,
  type ExportKind,
  type JobStatus,
  type Sandbox,
  type SettingKey,
} from '../../../core/sandbox/index.js'
import { type Clock, istDateTime, istStamp } from '../../../core/time/index.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { byteOrderMark } from '../logs/csv-file.js'

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

interface SandboxParts {
  sandbox: Sandbox
  clock: Clock
  risk: Pick<RiskGate, 'recount'>
}

/** Returns the handlers for configuration, schedule, profit and reset of the simulated account. */
export function sandboxHandlers({ sandbox, clock, risk }: SandboxParts) {
  return {
    'GET /sandbox/api/configs': async () => ({ status: 'success', configs: await configs(sandbox) }),
    'POST /sandbox/update': async ({ body: { config_key: key, config_value: value } }) => {
      await sandbox.changeSetting(key, value === undefined ? undefined : String(value))
      return { status: 'success', message: `Configuration ${key} updated successfully` }
    },
    'POST /sandbox/reset': async (_input, { username }) => {
      await sandbox.reset(username)
      risk.recount(username, 'analyze')
      return { status: 'success', message: RESET_TEXT }
    },
    'POST /sandbox/reload-squareoff': () => {
      sandbox.reschedule()
      return { status: 'success', message: 'Square-off schedule reloaded successfully' }
    },
    'GET /sandbox/squareoff-status': async () => {
      const { running, jobs } = await sandbox.schedule()
      return { status: 'success', data: { running, timezone: 'Asia/Kolkata', jobs: jobs.map(jobView) } }
    },
    'GET /sandbox/mypnl/api/data': async (_input, { username }) => ({
      status: 'success',
      data: await sandbox.reports.overview(username),
    }),
    'GET /sandbox/mypnl/export/:kind': httpHandler(async (c) => {
      const kind = EXPORTS.find((one) => one === c.req.param('kind'))
      if (!kind) throw new ServiceError('not_found', 'Not found', { extra: { path: c.req.path } })
      const { name, none } = FILES[kind]
      const csv = await exported(sandbox, c.get('principal').username, kind)
      if (csv === undefined) throw new ServiceError('not_found', none)
      const stamp = istDateTime(clock.now()).replaceAll(/[-:]/g, '').replace(' ', '_')
      return c.body(`${byteOrderMark(c)}${csv}`, 200, {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': `attachment; filename=${name}_${stamp}.csv`,
      })
    }),
  } satisfies Partial<Handlers>
}

/** Returns the settings by group. */
async function configs(sandbox: Sandbox) {
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
