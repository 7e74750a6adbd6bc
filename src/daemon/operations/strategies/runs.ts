import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import {
  checkpointView,
  EVENT_KINDS,
  eventView,
  NOT_LIVE,
  orderView,
  RUN_MODES,
  type RunMode,
  runView,
  SEVERITIES,
  type Strategy,
  tradedRun,
} from '../../../core/strategies/index.js'
import { fields } from '../../../core/validation/index.js'
import { amount, count, instant, message, ok } from '../common/answers.js'
import { rowId } from '../common/row-id.js'
import {
  closedReply,
  eventList,
  legClosed,
  orderList,
  runList,
  started,
  startedReply,
  stopped,
  stoppedReply,
} from './run-rows.js'
import {
  acting,
  changing,
  ID,
  id,
  json,
  limit,
  missing,
  ownedId,
  reading,
  runQuery,
  runValues,
  strategies,
} from './strategy-facts.js'

const LEG = { params: { id: 'The id of the strategy.', leg: 'The id of the leg.' } } as const
const RUN = { params: { id: 'The id of the strategy.', run: 'The id of the run.' } } as const

/** The facts that the caller saw before the start. A start with other facts is refused. */
const reviewed = z
  .strictObject({
    broker: fields.text(50).optional(),
    updated_at: z.iso.datetime({ offset: true, message: 'Not a valid ISO 8601 instant.' }).optional(),
  })
  .optional()
  .meta({
    description: 'The broker and the last change that the caller has seen; a start with others is 409.',
  })
const startBody = z.strictObject({ mode: fields.oneOf(RUN_MODES), reviewed })

/** The word of a person who has closed the positions of a reserved run. */
const releaseBody = z.strictObject({
  reason: fields
    .text(500)
    .refine((value) => value.trim() !== '', 'May not be empty.')
    .meta({ description: 'What was found and done; stored with the event.' }),
  closed_by_hand: z
    .literal(true, 'Must be true: the positions of the run are closed by hand.')
    .meta({ description: 'The run holds nothing any more.' }),
  positions_checked: z.boolean('Not a valid boolean.').default(false).meta({
    description: 'The positions that the account shows in its contracts belong to somebody else.',
  }),
})
const oneRunQuery = z.object({ run_id: id() })
const runsQuery = z.object({ limit: limit(500, 100) })
/** The limit is clamped: a page asks for as much as it may get. */
const eventsQuery = z.object({
  run_id: id().optional(),
  kind: fields.oneOf(EVENT_KINDS).optional(),
  severity: fields.oneOf(SEVERITIES).optional(),
  limit: fields
    .integer()
    .transform((value) => Math.min(1000, Math.max(1, value)))
    .default(500),
})

const checkpointRow = z.strictObject({
  id: count,
  run_id: count,
  ts: instant,
  pnl_realized: amount,
  pnl_unrealized: amount,
  pnl_total: amount,
  pnl_peak: amount,
  pnl_trough: amount,
  lock_floor: amount.nullable(),
  trail_to_entry_active: z.boolean(),
  leg_state: z.unknown(),
})
const released = ok({ run_id: count, message })
const checkpointList = ok({ data: z.array(checkpointRow) })

/** The runs of strategies. */
export const STRATEGY_RUN_OPERATIONS = {
  'POST /strategy/api/strategies/:id/start': strategies('Starts a batch strategy.', {
    live: 'start',
    ...changing,
    ...ID,
    body: startBody,
    example: { mode: 'sandbox' },
    answer: started,
    errors: [...acting, ...json],
    audit: { act: 'strategy.start', values: runValues, ofTarget: true },
    run: async ({ strategyCatalog: catalog, strategyRuns: runs }, { params, body }, { username }) => {
      const strategy = await catalog.get(username, rowId(params.id))
      refuseWithoutGate(strategy, body.mode)
      return startedReply(await runs.start(strategy.id, { ...body, trigger: 'manual' }))
    },
  }),
  'POST /strategy/api/strategies/:id/stop': strategies('Stops the run: closes what it holds.', {
    live: 'less',
    ...changing,
    ...ID,
    answer: stopped,
    errors: acting,
    audit: { act: 'strategy.stop', values: runValues, emergency: true },
    run: async (service, { params }, caller) =>
      stoppedReply(await service.strategyRuns.stop(await ownedId(service, params.id, caller), 'manual')),
  }),
  'POST /strategy/api/strategies/:id/close_all': strategies('Closes every position of the run.', {
    live: 'less',
    ...changing,
    ...ID,
    answer: stopped,
    errors: acting,
    audit: { act: 'strategy.close_all', values: runValues, emergency: true },
    run: async (service, { params }, caller) =>
      stoppedReply(await service.strategyRuns.closeAll(await ownedId(service, params.id, caller))),
  }),
  'POST /strategy/api/strategies/:id/legs/:leg/close': strategies('Closes the positions of one leg.', {
    live: 'less',
    ...changing,
    ...LEG,
    answer: legClosed,
    errors: acting,
    audit: { act: 'strategy.close_leg', values: runValues, emergency: true },
    run: async (service, { params }, caller) => {
      const id = await ownedId(service, params.id, caller)
      return closedReply(await service.strategyRuns.closeLeg(id, rowId(params.leg, 'Leg not found')))
    },
  }),
  'POST /strategy/api/strategies/:id/runs/:run/release': strategies(
    'Ends a reserved run whose positions a person has closed, and frees its strategy. It sends nothing.',
    {
      live: 'change',
      ...changing,
      ...RUN,
      body: releaseBody,
      example: { reason: 'closed in the app of the broker', closed_by_hand: true },
      answer: released,
      errors: [...missing, ...json, 'conflict'],
      audit: { act: 'strategy.release', values: runValues, ofTarget: true },
      run: async (service, { params, body }, caller) => {
        const id = await ownedId(service, params.id, caller)
        const runId = rowId(params.run, `Run ${params.run} was not found`)
        await tradedRun(service.strategyHistory, id, runId)
        const { reason, positions_checked: positionsChecked } = body
        await service.strategyRuns.release(id, runId, { by: caller.username, reason, positionsChecked })
        const message = `Run ${runId} is over, and its strategy is free. No order was sent.`
        return { status: 'success', run_id: runId, message }
      },
    },
  ),
  'GET /strategy/api/strategies/:id/runs': strategies('Lists the runs, newest first.', {
    ...reading,
    ...ID,
    query: runsQuery,
    answer: runList,
    errors: [...missing, 'validation'],
    run: async (service, { params, query }, caller) => {
      const id = await ownedId(service, params.id, caller)
      return { status: 'success', data: (await service.strategyHistory.runs(id, query.limit)).map(runView) }
    },
  }),
  'GET /strategy/api/strategies/:id/orders': strategies('Lists the newest 5,000 orders, oldest first.', {
    ...reading,
    ...ID,
    query: runQuery,
    answer: orderList,
    errors: [...missing, 'validation'],
    run: async (service, { params, query }, caller) => {
      const id = await ownedId(service, params.id, caller)
      return {
        status: 'success',
        data: (await service.strategyHistory.orders(id, query.run_id)).map(orderView),
      }
    },
  }),
  'GET /strategy/api/strategies/:id/checkpoints': strategies(
    'Lists the checkpoints of a run, oldest first.',
    {
      ...reading,
      ...ID,
      query: oneRunQuery,
      answer: checkpointList,
      errors: [...missing, 'validation'],
      run: async (service, { params, query }, caller) => {
        const id = await ownedId(service, params.id, caller)
        return {
          status: 'success',
          data: (await service.strategyHistory.checkpoints(id, query.run_id)).map(checkpointView),
        }
      },
    },
  ),
  'GET /strategy/api/strategies/:id/events': strategies('Lists the events, newest first.', {
    ...reading,
    ...ID,
    query: eventsQuery,
    answer: eventList,
    errors: [...missing, 'validation'],
    run: async (service, { params, query }, caller) => {
      const { run_id: runId, ...rest } = query
      const rows = await service.strategyEvents.list(await ownedId(service, params.id, caller), {
        runId,
        ...rest,
      })
      return { status: 'success', data: rows.map(eventView) }
    },
  }),
}

/** Pages get 400 for a live start that is not allowed, callers with an API key 409. */
function refuseWithoutGate({ config, liveEnabled }: Strategy, mode: RunMode): void {
  const isRefused = mode === 'live' && !liveEnabled && config.strategy_kind === 'batch'
  if (isRefused) throw new ServiceError('refused', NOT_LIVE)
}
