import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import {
  eventView,
  type ListedStrategy,
  type LiveRun,
  lastRunView,
  liveRunView,
  orderView,
  runView,
  type StrategyHistory,
  strategyView,
} from '../../../core/strategies/index.js'
import {
  LEG_STATUSES,
  ORDER_KINDS,
  ORDER_STATUSES,
  POSITIONS,
  RUN_MODES,
  STOP_REASONS,
  TICK_SOURCES,
} from '../../../core/strategies/schema.js'
import type { RunningService } from '../../daemon.js'
import { lotSizesOf } from '../../stream/strategies/open.js'
import { amount, count, ok, text } from '../common/answers.js'
import { rowId } from '../common/row-id.js'
import { signedIn } from '../running.js'
import { eventRow, orderRow, runRow } from './run-rows.js'
import { filter, id, runQuery } from './strategy-facts.js'
import { head, strategyShape, UNFINISHED_STATES } from './strategy-shape.js'

const pages = signedIn('Strategies', 'api')

/** Strategies on one page of the list. */
const PAGE_ROWS = 100
const RUNS = 20
const ORDERS = 100
const EVENTS = 100

const page = { answerText: 'text/html' } as const

const pageQuery = z.object({ ...filter, before: id().optional() })

const SHOWN_STATES = [...UNFINISHED_STATES, 'finished'] as const

const liveLeg = z.strictObject({
  leg_id: count,
  symbol: text,
  exchange: text,
  position: z.enum(POSITIONS).nullable(),
  lots: amount.nullable(),
  qty: count,
  status: z.enum(LEG_STATUSES),
  entry_status: z.enum(ORDER_STATUSES).nullable(),
  exit_kind: z.enum(ORDER_KINDS).nullable(),
  ltp: amount.nullable(),
  entry_avg: amount.nullable(),
  mtm: amount,
  realized_pnl: amount,
  effective_sl: amount.nullable(),
  effective_target: amount.nullable(),
  trail_active: z.boolean(),
  favorable_points: amount,
  tick_source: z.enum(TICK_SOURCES),
  outgoing_qty: count,
  waiting_to_reenter: z.boolean(),
})
const liveRunShape = z.strictObject({
  strategy_id: count,
  run_id: count,
  mode: z.enum(RUN_MODES),
  state: z.enum(['running', 'stop_pending', 'finished']),
  stop_reason: z.enum(STOP_REASONS).nullable(),
  mtm_realized: amount,
  mtm_unrealized: amount,
  mtm_total: amount,
  peak: amount,
  trough: amount,
  lock_armed: z.boolean(),
  lock_floor: amount.nullable(),
  trail_to_entry_active: z.boolean(),
  tick_source_degraded: z.boolean(),
  partial: z.boolean(),
  legs: z.array(liveLeg),
})
const shownRunShape = z.strictObject({
  id: count,
  mode: z.enum(RUN_MODES),
  state: z.enum(SHOWN_STATES).meta({ description: 'reserved: unfinished, and not restored after a start.' }),
  pnl: amount,
  drawdown: amount.meta({ description: 'How far the profit is below its highest value.' }),
})

/** The page of all strategies, and the page of one. */
const listPage = ok({
  data: z.strictObject({
    strategies: z.array(
      z.strictObject({
        id: count,
        name: text,
        strategy_kind: head.strategy_kind,
        underlying: text,
        status: head.status,
        live_enabled: z.boolean(),
        webhook_locked: z.boolean(),
        run: shownRunShape.nullable().meta({ description: 'The current run, otherwise the last one.' }),
      }),
    ),
    total: count,
    next_before: count.optional(),
  }),
})
const onePage = ok({
  data: z.strictObject({
    strategy: strategyShape,
    run: z.strictObject({ ...shownRunShape.shape, row: runRow }).nullable(),
    live: liveRunShape.nullable().meta({ description: 'The state of the run, while it is in memory.' }),
    runs: z.array(runRow),
    orders: z.array(orderRow).meta({ description: 'The newest orders of the run, newest first.' }),
    events: z.array(eventRow),
  }),
})

/** The pages: all strategies with their runs, and one strategy. */
export const STRATEGY_PAGES = {
  'GET /strategies': pages('Lists the strategies with their current or last runs, newest first.', {
    ...page,
    scopes: ['read', 'strategies'],
    query: pageQuery,
    example: { status: 'running' },
    answer: listPage,
    errors: ['validation'],
    run: async (service, { query: { before, ...filter } }, { username }) => {
      const { strategyCatalog: catalog, strategyHistory: history } = service
      const listed = await catalog.list(username, filter)
      const unfinished = new Map(
        (await history.unfinished(username)).map((row) => [row.strategyId, runView(row)]),
      )
      const rest = listed.filter(({ strategy }) => before === undefined || strategy.id < before)
      const shown = rest.slice(0, PAGE_ROWS)
      const last = shown.at(-1)
      return {
        status: 'success',
        data: {
          strategies: shown.map((one) =>
            strategyPageRow(one, unfinished.get(one.strategy.id), liveRun(service, one.strategy.id)),
          ),
          total: listed.length,
          ...(last && rest.length > shown.length && { next_before: last.strategy.id }),
        },
      }
    },
  }),
  'GET /strategies/:id': pages('Returns a strategy with one run: its legs, orders and events.', {
    ...page,
    scopes: ['read', 'strategies'],
    params: { id: 'The id of the strategy.' },
    query: runQuery,
    answer: onePage,
    errors: ['not_found', 'validation'],
    run: async (service, { params, query }, { username }) => {
      const { strategyEvents: events, strategyHistory: history } = service
      const strategy = await service.strategyCatalog.get(username, rowId(params.id))
      const { id } = strategy
      const runs = (await history.runs(id, RUNS)).map(runView)
      const row = query.run_id === undefined ? runs[0] : await runOf(history, id, query.run_id)
      const now = liveRun(service, id)
      const live = row && now?.run_id === row.id ? now : undefined
      const [orders, rows] = await Promise.all([
        row ? history.orders(id, row.id, ORDERS) : [],
        events.list(id, { runId: query.run_id, limit: EVENTS }),
      ])
      return {
        status: 'success',
        data: {
          strategy: strategyView(strategy, service.strategyRuns.unfinished(id)),
          run: row ? { ...shownRun(row, live), row } : null,
          live: live ?? null,
          runs,
          orders: orders.map(orderView).reverse(),
          events: rows.map(eventView),
        },
      }
    },
  }),
}

type RunView = ReturnType<typeof runView>

/** Returns the state of a run that is in memory. */
function liveRun(
  { instruments, strategyRuns }: Pick<RunningService, 'instruments' | 'strategyRuns'>,
  strategyId: number,
): LiveRun | undefined {
  const run = strategyRuns.active(strategyId)
  return run && !run.hasEnded ? liveRunView(run, lotSizesOf(instruments)) : undefined
}

async function runOf(history: StrategyHistory, strategyId: number, runId: number): Promise<RunView> {
  const row = await history.run(runId)
  if (row?.strategyId === strategyId) return runView(row)
  throw new ServiceError('not_found', `Run ${runId} was not found`)
}

function strategyPageRow(
  { strategy, last }: ListedStrategy,
  run: RunView | undefined,
  live: LiveRun | undefined,
) {
  const { config, id, liveEnabled, name, status, webhookLocked } = strategy
  return {
    id,
    name,
    strategy_kind: config.strategy_kind,
    underlying: config.underlying,
    status,
    live_enabled: liveEnabled,
    webhook_locked: webhookLocked,
    run: run ? shownRun(run, live?.run_id === run.id ? live : undefined) : last ? lastRun(last) : null,
  }
}

/** A run as a page shows it, with the amounts of now while it is in memory. */
function shownRun({ id, mode, pnl_peak, pnl_realized, stopped_at }: RunView, live: LiveRun | undefined) {
  const [pnl, peak] = live ? [live.mtm_total, live.peak] : [pnl_realized, pnl_peak]
  const state = stopped_at !== null ? ('finished' as const) : live ? live.state : ('reserved' as const)
  return { id, mode, state, pnl, drawdown: below(peak, pnl) }
}

function lastRun(last: NonNullable<ListedStrategy['last']>) {
  const { peak, ...run } = lastRunView(last)
  return { ...run, state: 'finished' as const, drawdown: below(peak, run.pnl) }
}

/** Returns how far an amount is below another, in rupees and paise. */
function below(peak: number, amount: number): number {
  return Math.max(0, Math.round((peak - amount) * 100) / 100)
}
