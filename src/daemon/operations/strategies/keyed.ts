import { z } from 'zod'
import {
  EVENT_KINDS,
  eventView,
  orderView,
  RUN_MODES,
  runView,
  SEVERITIES,
  strategyView,
} from '../../../core/strategies/index.js'
import { fields } from '../../../core/validation/index.js'
import { ok } from '../common/answers.js'
import { keyed, keyedChange } from '../running.js'
import {
  closedReply,
  eventList,
  legClosed,
  orderList,
  runList,
  runRow,
  started,
  startedReply,
  stopped,
  stoppedReply,
} from './run-rows.js'
import { acting, filter, id, limit, missing, runValues } from './strategy-facts.js'
import { listRow, strategyList, strategyShape } from './strategy-shape.js'

const api = keyed('Strategies', 'api')
const apiChange = keyedChange('Strategies', 'api')
const ONE = { strategy_id: 1 }

const listBody = z.strictObject(filter)

const strategyField = { strategy_id: id() }
const strategyOnly = z.strictObject(strategyField)
const startKeyed = z.strictObject({ ...strategyField, mode: fields.oneOf(RUN_MODES) })
const closeLegBody = z.strictObject({ ...strategyField, leg_id: id() })
const runsBody = z.strictObject({ ...strategyField, limit: limit(500, 100) })
const ordersBody = z.strictObject({ ...strategyField, run_id: id().nullish() })
const eventsBody = z.strictObject({
  ...strategyField,
  run_id: id().nullish(),
  kind: fields.oneOf(EVENT_KINDS).nullish(),
  severity: fields.oneOf(SEVERITIES).nullish(),
  limit: limit(1000, 500),
})

const strategyStatus = ok({ data: strategyShape, run: runRow.nullable() })

/** Strategies for callers with an API key. */
export const KEYED_STRATEGY_OPERATIONS = {
  'POST /api/v1/strategy/list': api('Lists the strategies, newest first.', {
    body: listBody,
    example: {},
    answer: strategyList,
    run: async ({ strategyCatalog: catalog, strategyRuns: runs }, { body }, { username }) => {
      const listed = await catalog.list(username, body)
      return { status: 'success', data: listed.map((one) => listRow(one, runs)) }
    },
  }),
  'POST /api/v1/strategy/status': api('Returns a strategy and its current run.', {
    body: strategyOnly,
    example: ONE,
    answer: strategyStatus,
    errors: missing,
    run: async (
      { strategyCatalog: catalog, strategyRuns: runs, strategyHistory: history },
      { body },
      { username },
    ) => {
      const strategy = await catalog.get(username, body.strategy_id)
      const run = strategy.currentRunId === null ? undefined : await history.run(strategy.currentRunId)
      return {
        status: 'success',
        data: strategyView(strategy, runs.unfinished(strategy.id)),
        run: run ? runView(run) : null,
      }
    },
  }),
  'POST /api/v1/strategy/start': apiChange('Starts a batch strategy.', {
    live: 'start',
    body: startKeyed,
    example: { ...ONE, mode: 'sandbox' },
    answer: started,
    errors: acting,
    audit: { act: 'strategy.start', values: runValues, ofTarget: true },
    run: async ({ strategyCatalog: catalog, strategyRuns: runs }, { body }, { username }) => {
      const { id } = await catalog.get(username, body.strategy_id)
      return startedReply(await runs.start(id, { mode: body.mode, trigger: 'manual' }))
    },
  }),
  'POST /api/v1/strategy/stop': apiChange('Stops the run of a strategy: closes what it holds.', {
    live: 'less',
    body: strategyOnly,
    example: ONE,
    answer: stopped,
    errors: acting,
    audit: { act: 'strategy.stop', values: runValues, emergency: true },
    run: async ({ strategyCatalog: catalog, strategyRuns: runs }, { body }, { username }) => {
      const { id } = await catalog.get(username, body.strategy_id)
      return stoppedReply(await runs.stop(id, 'manual'))
    },
  }),
  'POST /api/v1/strategy/close_all': apiChange('Closes every position of a run.', {
    live: 'less',
    body: strategyOnly,
    example: ONE,
    answer: stopped,
    errors: acting,
    audit: { act: 'strategy.close_all', values: runValues, emergency: true },
    run: async ({ strategyCatalog: catalog, strategyRuns: runs }, { body }, { username }) => {
      const { id } = await catalog.get(username, body.strategy_id)
      return stoppedReply(await runs.closeAll(id))
    },
  }),
  'POST /api/v1/strategy/close_leg': apiChange('Closes the positions of one leg.', {
    live: 'less',
    body: closeLegBody,
    example: { ...ONE, leg_id: 1 },
    answer: legClosed,
    errors: acting,
    audit: { act: 'strategy.close_leg', values: runValues, emergency: true },
    run: async ({ strategyCatalog: catalog, strategyRuns: runs }, { body }, { username }) => {
      const { id } = await catalog.get(username, body.strategy_id)
      return closedReply(await runs.closeLeg(id, body.leg_id))
    },
  }),
  'POST /api/v1/strategy/runs': api('Lists the runs of a strategy, newest first.', {
    body: runsBody,
    example: ONE,
    answer: runList,
    errors: missing,
    run: async ({ strategyCatalog: catalog, strategyHistory: history }, { body }, { username }) => {
      const { id } = await catalog.get(username, body.strategy_id)
      return { status: 'success', data: (await history.runs(id, body.limit)).map(runView) }
    },
  }),
  'POST /api/v1/strategy/orders': api('Lists the newest 5,000 orders of a strategy, oldest first.', {
    body: ordersBody,
    example: ONE,
    answer: orderList,
    errors: missing,
    run: async ({ strategyCatalog: catalog, strategyHistory: history }, { body }, { username }) => {
      const { id } = await catalog.get(username, body.strategy_id)
      return { status: 'success', data: (await history.orders(id, body.run_id ?? undefined)).map(orderView) }
    },
  }),
  'POST /api/v1/strategy/events': api('Lists the events of a strategy, newest first.', {
    body: eventsBody,
    example: { ...ONE, severity: 'critical' },
    answer: eventList,
    errors: missing,
    run: async ({ strategyCatalog: catalog, strategyEvents: events }, { body }, { username }) => {
      const { id } = await catalog.get(username, body.strategy_id)
      const query = {
        runId: body.run_id ?? undefined,
        kind: body.kind ?? undefined,
        severity: body.severity ?? undefined,
        limit: body.limit,
      }
      return { status: 'success', data: (await events.list(id, query)).map(eventView) }
    },
  }),
}
