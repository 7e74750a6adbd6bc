import { ServiceError } from '../../../core/errors/index.js'
import {
  checkpointView,
  eventView,
  NOT_LIVE,
  orderView,
  type RunMode,
  runView,
  type Strategy,
  tradedRun,
  webhookEventView,
} from '../../../core/strategies/index.js'
import type { Handlers } from '../../http/handlers.js'
import type { StrategyParts } from './parts.js'
import { closedReply, startedReply, stoppedReply } from './replies.js'
import { idIn } from './request.js'

const success = { status: 'success' } as const
/** Webhook calls that the page shows. */
const SHOWN_CALLS = 200

/** Returns the handlers that start and stop the strategies of a signed-in user, and show their past. */
export function strategyRunHandlers({
  strategyCatalog: catalog,
  strategyEvents: events,
  strategyHistory: history,
  strategyRuns: runs,
  strategyWebhookEvents: calls,
}: StrategyParts) {
  const owned = async (id: string, username: string) => (await catalog.get(username, idIn(id))).id
  return {
    'POST /strategy/api/strategies/:id/start': async ({ params, body }, { username }) => {
      const strategy = await catalog.get(username, idIn(params.id))
      refuseWithoutGate(strategy, body.mode)
      return startedReply(await runs.start(strategy.id, { ...body, trigger: 'manual' }))
    },
    'POST /strategy/api/strategies/:id/stop': async ({ params }, { username }) =>
      stoppedReply(await runs.stop(await owned(params.id, username), 'manual')),
    'POST /strategy/api/strategies/:id/close_all': async ({ params }, { username }) =>
      stoppedReply(await runs.closeAll(await owned(params.id, username))),
    'POST /strategy/api/strategies/:id/legs/:leg/close': async ({ params }, { username }) => {
      const id = await owned(params.id, username)
      return closedReply(await runs.closeLeg(id, idIn(params.leg, 'Leg not found')))
    },
    'POST /strategy/api/strategies/:id/runs/:run/release': async ({ params, body }, { username }) => {
      const id = await owned(params.id, username)
      const runId = idIn(params.run, `Run ${params.run} was not found`)
      await tradedRun(history, id, runId)
      const { reason, positions_checked: positionsChecked } = body
      await runs.release(id, runId, { by: username, reason, positionsChecked })
      const message = `Run ${runId} is over, and its strategy is free. No order was sent.`
      return { ...success, run_id: runId, message }
    },
    'GET /strategy/api/strategies/:id/runs': async ({ params, query }, { username }) => {
      const id = await owned(params.id, username)
      return { ...success, data: (await history.runs(id, query.limit)).map(runView) }
    },
    'GET /strategy/api/strategies/:id/orders': async ({ params, query }, { username }) => {
      const id = await owned(params.id, username)
      return { ...success, data: (await history.orders(id, query.run_id)).map(orderView) }
    },
    'GET /strategy/api/strategies/:id/checkpoints': async ({ params, query }, { username }) => {
      const id = await owned(params.id, username)
      return { ...success, data: (await history.checkpoints(id, query.run_id)).map(checkpointView) }
    },
    'GET /strategy/api/strategies/:id/events': async ({ params, query }, { username }) => {
      const { run_id: runId, ...rest } = query
      const rows = await events.list(await owned(params.id, username), { runId, ...rest })
      return { ...success, data: rows.map(eventView) }
    },
    'GET /strategy/api/strategies/:id/webhook_events': async ({ params }, { username }) => {
      const id = await owned(params.id, username)
      return { ...success, data: (await calls.newest(id, SHOWN_CALLS)).map(webhookEventView) }
    },
  } satisfies Partial<Handlers>
}

/** Pages get 400 for a live start that is not allowed, callers with an API key 409. */
function refuseWithoutGate({ config, liveEnabled }: Strategy, mode: RunMode): void {
  const isRefused = mode === 'live' && !liveEnabled && config.strategy_kind === 'batch'
  if (isRefused) throw new ServiceError('refused', NOT_LIVE)
}
