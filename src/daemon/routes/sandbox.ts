import { Hono } from 'hono'
import { z } from 'zod'
import { publicMessageOf, ServiceError } from '../../core/errors/index.js'
import type { RiskGate } from '../../core/risk/index.js'
import {
  EXPORTS,
  type ExportKind,
  type JobStatus,
  type Sandbox,
  type SettingKey,
} from '../../core/sandbox/index.js'
import { type Clock, istDateTime, istStamp } from '../../core/time/index.js'
import { fields, parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { readJson } from '../http/body.js'
import { requireScopes } from '../middleware/session.js'

export const updateBody = z.object({
  config_key: fields.text(100).optional(),
  config_value: z.union([z.string().max(255), z.number()]).optional(),
})

/** Settings as they are shown together. Every setting is in one group. */
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

interface SandboxRouteParts {
  sandbox: Sandbox
  clock: Clock
  risk: Pick<RiskGate, 'recount'>
}

/** Configuration, schedule, profit and reset of the simulated account (contract, sandbox sections 1 and 12). */
export function sandboxRoutes({ sandbox, clock, risk }: SandboxRouteParts): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .use('*', requireScopes('read', 'settings'))
    .get('/api/configs', async (c) => {
      const settings = new Map(
        (await sandbox.settings()).map(({ key, value, description }) => [key, { value, description }]),
      )
      const configs = Object.fromEntries(
        Object.entries(GROUPS).map(([group, { title, keys }]) => [
          group,
          { title, configs: Object.fromEntries(keys.map((key) => [key, settings.get(key)])) },
        ]),
      )
      return c.json({ status: 'success', configs })
    })
    .post('/update', async (c) => {
      const { config_key: key, config_value: value } = parseWith(updateBody, await readJson(c))
      await sandbox.changeSetting(key, value === undefined ? undefined : String(value))
      return c.json({ status: 'success', message: `Configuration ${key} updated successfully` })
    })
    .post('/reset', async (c) => {
      const { username } = c.get('principal')
      await sandbox.reset(username)
      risk.recount(username, 'analyze')
      return c.json({ status: 'success', message: RESET_TEXT })
    })
    .post('/reload-squareoff', async (c) => {
      sandbox.reschedule()
      return c.json({ status: 'success', message: 'Square-off schedule reloaded successfully' })
    })
    .get('/squareoff-status', async (c) => {
      const { running, jobs } = await sandbox.schedule()
      const data = { running, timezone: 'Asia/Kolkata', jobs: jobs.map(jobView) }
      return c.json({ status: 'success', data })
    })
    .get('/mypnl/api/data', async (c) => {
      const data = await sandbox.reports.overview(c.get('principal').username)
      return c.json({ status: 'success', data })
    })
    .get('/mypnl/export/:kind', async (c) => {
      const kind = EXPORTS.find((one) => one === c.req.param('kind'))
      if (!kind) throw new ServiceError('not_found', 'Not found', { extra: { path: c.req.path } })
      const { name, none } = FILES[kind]
      const csv = await exported(sandbox, c.get('principal').username, kind)
      if (csv === undefined) throw new ServiceError('not_found', none)
      const stamp = istDateTime(clock.now()).replaceAll(/[-:]/g, '').replace(' ', '_')
      return c.body(csv, 200, {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': `attachment; filename=${name}_${stamp}.csv`,
      })
    })
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
