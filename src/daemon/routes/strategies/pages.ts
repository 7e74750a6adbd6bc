import { ServiceError } from '../../../core/errors/index.js'
import {
  eventView,
  type ListedStrategy,
  type LiveRun,
  lastRunView,
  liveRunView,
  orderView,
  runView,
  strategyView,
} from '../../../core/strategies/index.js'
import type { Handlers } from '../../http/handlers.js'
import type { Service } from '../../service.js'
import { lotSizesOf } from '../../stream/strategies/open.js'
import type { StrategyParts } from './parts.js'
import { idIn } from './request.js'

const success = { status: 'success' } as const
/** Strategies on one page of the list. */
const PAGE_ROWS = 100
const RUNS = 20
const ORDERS = 100
const EVENTS = 100

interface PageParts extends Omit<StrategyParts, 'strategyWebhookEvents' | 'strategyRuns'> {
  strategyRuns: Pick<Service['strategyRuns'], 'active' | 'unfinished'>
  instruments: Pick<Service['instruments'], 'directory'>
}

type RunView = ReturnType<typeof runView>

/** Returns the handlers of the pages: all strategies with their runs, and one strategy. */
export function strategyPageHandlers(parts: PageParts) {
  const { strategyCatalog: catalog, strategyEvents: events, strategyHistory: history } = parts
  const lotSizeOf = lotSizesOf(parts.instruments)
  const liveRun = (strategyId: number): LiveRun | undefined => {
    const run = parts.strategyRuns.active(strategyId)
    return run && !run.hasEnded ? liveRunView(run, lotSizeOf) : undefined
  }
  const runOf = async (strategyId: number, runId: number): Promise<RunView> => {
    const row = await history.run(runId)
    if (row?.strategyId === strategyId) return runView(row)
    throw new ServiceError('not_found', `Run ${runId} was not found`)
  }
  return {
    'GET /strategies': async ({ query: { before, ...filter } }, { username }) => {
      const listed = await catalog.list(username, filter)
      const unfinished = new Map(
        (await history.unfinished(username)).map((row) => [row.strategyId, runView(row)]),
      )
      const rest = listed.filter(({ strategy }) => before === undefined || strategy.id < before)
      const shown = rest.slice(0, PAGE_ROWS)
      const last = shown.at(-1)
      return {
        ...success,
        data: {
          strategies: shown.map((one) =>
            rowOf(one, unfinished.get(one.strategy.id), liveRun(one.strategy.id)),
          ),
          total: listed.length,
          ...(last && rest.length > shown.length && { next_before: last.strategy.id }),
        },
      }
    },
    'GET /strategies/:id': async ({ params, query }, { username }) => {
      const strategy = await catalog.get(username, idIn(params.id))
      const { id } = strategy
      const runs = (await history.runs(id, RUNS)).map(runView)
      const row = query.run_id === undefined ? runs[0] : await runOf(id, query.run_id)
      const now = liveRun(id)
      const live = row && now?.run_id === row.id ? now : undefined
      const [orders, rows] = await Promise.all([
        row ? history.orders(id, row.id, ORDERS) : [],
        events.list(id, { runId: query.run_id, limit: EVENTS }),
      ])
      return {
        ...success,
        data: {
          strategy: strategyView(strategy, parts.strategyRuns.unfinished(id)),
          run: row ? { ...shownRun(row, live), row } : null,
          live: live ?? null,
          runs,
          orders: orders.map(orderView).reverse(),
          events: rows.map(eventView),
        },
      }
    },
  } satisfies Partial<Handlers>
}

function rowOf({ strategy, last }: ListedStrategy, run: RunView | undefined, live: LiveRun | undefined) {
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
