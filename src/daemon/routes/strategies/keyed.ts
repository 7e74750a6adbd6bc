import { eventView, orderView, runView, strategyView } from '../../../core/strategies/index.js'
import type { Handlers } from '../../http/handlers.js'
import type { StrategyParts } from './parts.js'
import { closedReply, listRow, startedReply, stoppedReply } from './replies.js'

const success = { status: 'success' } as const

/** Returns the handlers of `/api/v1/strategy`, for callers with an API key. */
export function keyedStrategyHandlers({
  strategyCatalog: catalog,
  strategyEvents: events,
  strategyHistory: history,
  strategyRuns: runs,
}: StrategyParts) {
  return {
    'POST /api/v1/strategy/list': async ({ body }, { username }) => {
      const listed = await catalog.list(username, body)
      return { ...success, data: listed.map((one) => listRow(one, runs)) }
    },
    'POST /api/v1/strategy/status': async ({ body }, { username }) => {
      const strategy = await catalog.get(username, body.strategy_id)
      const run = strategy.currentRunId === null ? undefined : await history.run(strategy.currentRunId)
      return {
        ...success,
        data: strategyView(strategy, runs.unfinished(strategy.id)),
        run: run ? runView(run) : null,
      }
    },
    'POST /api/v1/strategy/start': async ({ body }, { username }) => {
      const { id } = await catalog.get(username, body.strategy_id)
      return startedReply(await runs.start(id, { mode: body.mode, trigger: 'manual' }))
    },
    'POST /api/v1/strategy/stop': async ({ body }, { username }) => {
      const { id } = await catalog.get(username, body.strategy_id)
      return stoppedReply(await runs.stop(id, 'manual'))
    },
    'POST /api/v1/strategy/close_all': async ({ body }, { username }) => {
      const { id } = await catalog.get(username, body.strategy_id)
      return stoppedReply(await runs.closeAll(id))
    },
    'POST /api/v1/strategy/close_leg': async ({ body }, { username }) => {
      const { id } = await catalog.get(username, body.strategy_id)
      return closedReply(await runs.closeLeg(id, body.leg_id))
    },
    'POST /api/v1/strategy/runs': async ({ body }, { username }) => {
      const { id } = await catalog.get(username, body.strategy_id)
      return { ...success, data: (await history.runs(id, body.limit)).map(runView) }
    },
    'POST /api/v1/strategy/orders': async ({ body }, { username }) => {
      const { id } = await catalog.get(username, body.strategy_id)
      return { ...success, data: (await history.orders(id, body.run_id ?? undefined)).map(orderView) }
    },
    'POST /api/v1/strategy/events': async ({ body }, { username }) => {
      const { id } = await catalog.get(username, body.strategy_id)
      const query = {
        runId: body.run_id ?? undefined,
        kind: body.kind ?? undefined,
        severity: body.severity ?? undefined,
        limit: body.limit,
      }
      return { ...success, data: (await events.list(id, query)).map(eventView) }
    },
  } satisfies Partial<Handlers>
}
