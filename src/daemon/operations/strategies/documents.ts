import { z } from 'zod'
import { lockAndStop, strategyView } from '../../../core/strategies/index.js'
import { message, messageOnly, ok } from '../common/answers.js'
import { rowId } from '../common/row-id.js'
import { exitRow, exitView } from './run-rows.js'
import {
  authorOf,
  changing,
  filter,
  ID,
  json,
  missing,
  reading,
  STRADDLE,
  strategies,
  strategyValues,
  webhook_token,
} from './strategy-facts.js'
import { listRow, strategyList, strategyShape, wholeStrategy } from './strategy-shape.js'

const SHOWN_ONCE = 'Store the webhook token now: it is not shown again.'

const said = (json: Record<string, unknown>) => z.unknown().meta(json).optional()
const anyText = said({ type: 'string' })
const anyAmount = said({ type: ['number', 'null'] })

/** A configuration, or the part of it that changes. */
const strategyBody = z.looseObject({
  name: anyText,
  strategy_kind: said({ type: 'string', enum: ['batch', 'signal'] }),
  direction: anyText,
  universe_tab: anyText,
  underlying: anyText,
  underlying_exchange: anyText,
  strategy_type: said({ type: 'string', enum: ['intraday', 'positional'] }),
  entry_time: anyText,
  exit_time: anyText,
  product: anyText,
  pricetype: anyText,
  legs: said({ type: 'array', items: { type: 'object' }, minItems: 1, maxItems: 10 }),
  overall_sl_mtm: anyAmount,
  overall_target_mtm: anyAmount,
  daily_loss_limit_inr: anyAmount,
  lock_profit: said({ type: ['object', 'null'] }),
  trail_sl_to_entry: said({ type: 'boolean' }),
  scheduler: said({ type: ['object', 'null'] }),
  webhook_ip_allowlist: said({ type: 'array', items: { type: 'string' } }),
})
const listQuery = z.object(filter)

const liveBody = z.strictObject({ enabled: z.boolean('Not a valid boolean.') })

const strategyShown = ok({ data: strategyShape })
const strategyCreated = ok({ data: strategyShape, webhook_token, message })
const tokenRotated = ok({ webhook_token, message })
const liveSet = ok({ live_enabled: z.boolean() })
const locked = ok({
  webhook_locked: z.literal(true),
  run_stopped: z.boolean(),
  stop_pending: z.boolean(),
  exits: z.array(exitRow),
  message,
})
const unlocked = ok({ webhook_locked: z.literal(false), message })

/** The strategies of a signed-in user. */
export const STRATEGY_DOCUMENT_OPERATIONS = {
  'GET /strategy/api/strategies': strategies('Lists the strategies, newest first.', {
    ...reading,
    query: listQuery,
    answer: strategyList,
    errors: ['validation'],
    run: async ({ strategyCatalog: catalog, strategyRuns: runs }, { query }, { username }) => {
      const listed = await catalog.list(username, query)
      return { status: 'success', data: listed.map((one) => listRow(one, runs)) }
    },
  }),
  'POST /strategy/api/strategies': strategies('Stores a new strategy. Its webhook token is shown once.', {
    ...changing,
    body: strategyBody,
    example: STRADDLE,
    answer: strategyCreated,
    errors: [...json, 'conflict', 'refused'],
    status: 201,
    audit: { act: 'strategy.create', values: strategyValues },
    run: async ({ strategyCatalog: catalog }, { body }, caller) => {
      const { strategy, webhookToken } = await catalog.create(caller.username, body, authorOf(caller))
      const data = strategyView(strategy, undefined)
      return { status: 'success', data, webhook_token: webhookToken, message: SHOWN_ONCE }
    },
  }),
  'GET /strategy/api/strategies/:id': strategies('Returns a strategy with its legs.', {
    ...reading,
    ...ID,
    answer: ok({ data: wholeStrategy }),
    errors: missing,
    run: async ({ strategyCatalog: catalog, strategyRuns: runs }, { params }, { username }) => {
      const one = await catalog.listed(username, rowId(params.id))
      return { status: 'success', data: { ...listRow(one, runs), legs: one.strategy.config.legs } }
    },
  }),
  'PATCH /strategy/api/strategies/:id': strategies(
    'Changes the given fields of a strategy that does not run.',
    {
      live: 'change',
      ...changing,
      ...ID,
      body: strategyBody,
      example: { overall_sl_mtm: 3000 },
      answer: strategyShown,
      errors: [...missing, ...json, 'conflict'],
      audit: { act: 'strategy.change', values: strategyValues },
      run: async ({ strategyCatalog: catalog, strategyRuns: runs }, { params, body }, caller) => {
        const id = rowId(params.id)
        const strategy = await catalog.change(caller.username, id, body, authorOf(caller))
        return { status: 'success', data: strategyView(strategy, runs.unfinished(strategy.id)) }
      },
    },
  ),
  'DELETE /strategy/api/strategies/:id': strategies('Deletes a strategy with its runs, orders and events.', {
    live: 'less',
    ...changing,
    ...ID,
    answer: messageOnly,
    errors: [...missing, 'conflict'],
    audit: { act: 'strategy.delete', values: strategyValues },
    run: async ({ strategyCatalog: catalog }, { params }, { username }) => {
      await catalog.remove(username, rowId(params.id))
      return { status: 'success', message: 'Strategy deleted' }
    },
  }),
  'POST /strategy/api/strategies/:id/webhook/rotate': strategies('Replaces the webhook token.', {
    ...changing,
    ...ID,
    answer: tokenRotated,
    errors: missing,
    audit: { act: 'strategy.webhook_rotate', values: strategyValues },
    run: async ({ strategyCatalog: catalog }, { params }, { username }) => {
      const { webhookToken } = await catalog.rotateToken(username, rowId(params.id))
      return { status: 'success', webhook_token: webhookToken, message: SHOWN_ONCE }
    },
  }),
  'POST /strategy/api/strategies/:id/live': strategies('Allows or forbids live runs of a strategy.', {
    live: 'change',
    ...changing,
    ...ID,
    body: liveBody,
    fresh: { enabled: [true] },
    example: { enabled: false },
    answer: liveSet,
    errors: [...missing, ...json, 'conflict'],
    audit: { act: 'strategy.set_live', values: strategyValues },
    run: async ({ strategyCatalog: catalog }, { params, body }, { username }) => {
      const { liveEnabled } = await catalog.setLive(username, rowId(params.id), body.enabled)
      return { status: 'success', live_enabled: liveEnabled }
    },
  }),
  'POST /strategy/api/strategies/:id/kill_switch': strategies('Locks the webhook, then stops the run.', {
    live: 'less',
    ...changing,
    ...ID,
    answer: locked,
    errors: missing,
    audit: { act: 'strategy.lock', values: strategyValues, emergency: true },
    run: async ({ strategyCatalog: catalog, strategyRuns: runs }, { params }, { username }) => {
      const { stopped, runStopped, message } = await lockAndStop(catalog, runs, username, rowId(params.id))
      return {
        status: 'success',
        webhook_locked: true,
        run_stopped: runStopped,
        stop_pending: stopped?.stopPending ?? false,
        exits: (stopped?.exits ?? []).map(exitView),
        message,
      }
    },
  }),
  'POST /strategy/api/strategies/:id/unlock_webhook': strategies('Unlocks the webhook.', {
    live: 'change',
    ...changing,
    ...ID,
    answer: unlocked,
    errors: missing,
    audit: { act: 'strategy.unlock', values: strategyValues },
    run: async ({ strategyCatalog: catalog }, { params }, { username }) => {
      await catalog.unlockWebhook(username, rowId(params.id))
      return { status: 'success', webhook_locked: false, message: 'Webhook unlocked' }
    },
  }),
}
