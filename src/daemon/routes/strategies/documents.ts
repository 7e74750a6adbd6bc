import { applyStrategies, lockAndStop, planStrategies, strategyView } from '../../../core/strategies/index.js'
import type { Handlers } from '../../http/handlers.js'
import type { StrategyParts } from './parts.js'
import { exitView, listRow } from './replies.js'
import { idIn } from './request.js'

const success = { status: 'success' } as const
const SHOWN_ONCE = 'Store the webhook token now: it is not shown again.'

/** Returns the handlers that list, create and change the strategies of a signed-in user. */
export function strategyDocumentHandlers({ strategyCatalog: catalog, strategyRuns: runs }: StrategyParts) {
  return {
    'GET /strategy/api/strategies': async ({ query }, { username }) => {
      const listed = await catalog.list(username, query)
      return { ...success, data: listed.map((one) => listRow(one, runs)) }
    },
    'POST /strategy/api/strategies': async ({ body }, { username }) => {
      const { strategy, webhookToken } = await catalog.create(username, body)
      const data = strategyView(strategy, undefined)
      return { ...success, data, webhook_token: webhookToken, message: SHOWN_ONCE }
    },
    'GET /strategy/api/strategies/:id': async ({ params }, { username }) => {
      const strategy = await catalog.get(username, idIn(params.id))
      return { ...success, data: strategyView(strategy, runs.unfinished(strategy.id)) }
    },
    'PATCH /strategy/api/strategies/:id': async ({ params, body }, { username }) => {
      const strategy = await catalog.change(username, idIn(params.id), body)
      return { ...success, data: strategyView(strategy, runs.unfinished(strategy.id)) }
    },
    'DELETE /strategy/api/strategies/:id': async ({ params }, { username }) => {
      await catalog.remove(username, idIn(params.id))
      return { ...success, message: 'Strategy deleted' }
    },
    'POST /strategy/api/strategies/:id/webhook/rotate': async ({ params }, { username }) => {
      const { webhookToken } = await catalog.rotateToken(username, idIn(params.id))
      return { ...success, webhook_token: webhookToken, message: SHOWN_ONCE }
    },
    'POST /strategy/api/strategies/:id/live': async ({ params, body }, { username }) => {
      const { liveEnabled } = await catalog.setLive(username, idIn(params.id), body.enabled)
      return { ...success, live_enabled: liveEnabled }
    },
    'POST /strategy/api/strategies/:id/kill_switch': async ({ params }, { username }) => {
      const { stopped, runStopped, message } = await lockAndStop(catalog, runs, username, idIn(params.id))
      return {
        ...success,
        webhook_locked: true as const,
        run_stopped: runStopped,
        stop_pending: stopped?.stopPending ?? false,
        exits: (stopped?.exits ?? []).map(exitView),
        message,
      }
    },
    'POST /strategy/api/strategies/:id/unlock_webhook': async ({ params }, { username }) => {
      await catalog.unlockWebhook(username, idIn(params.id))
      return { ...success, webhook_locked: false as const, message: 'Webhook unlocked' }
    },
    'POST /strategy/api/plan': async ({ body }, { username }) => ({
      ...success,
      data: await planStrategies(catalog, username, body),
    }),
    'POST /strategy/api/apply': async ({ body }, { username }) => ({
      ...success,
      data: await applyStrategies(catalog, username, body),
    }),
  } satisfies Partial<Handlers>
}
