import type { z } from 'zod'
import * as accountAnswers from '../account/book-schemas.js'
import { messageOnly } from '../common/answers.js'
import { keyed, keyedChange, signedIn } from '../running.js'
import * as answers from './answers.js'
import * as payloads from './payloads.js'

const api = keyed('Strategies', 'api')
const apiChange = keyedChange('Strategies', 'api')
const session = signedIn('Strategies', 'strategy')

const reading = { scopes: ['read', 'strategies'] } as const
const changing = { scopes: ['strategies'] } as const
const ID = { params: { id: 'The id of the strategy.' } } as const
const LEG = { params: { id: 'The id of the strategy.', leg: 'The id of the leg.' } } as const
const RUN = { params: { id: 'The id of the strategy.', run: 'The id of the run.' } } as const
const json = ['validation', 'too_large', 'unsupported_media'] as const
const missing = ['not_found'] as const
const broker = ['broker_rejected', 'broker_missing', 'broker_protocol'] as const
/** The refusals of requests that open or close positions. */
const acting = ['not_found', 'conflict', 'refused', 'unavailable'] as const

const STRADDLE = {
  name: 'Morning straddle',
  underlying: 'NIFTY',
  underlying_exchange: 'NSE_INDEX',
  entry_time: '09:20',
  exit_time: '15:15',
  product: 'MIS',
  legs: [
    { segment: 'options', position: 'S', lots: 1, option_type: 'CE', expiry: 'weekly', sl_pts: 30 },
    { segment: 'options', position: 'S', lots: 1, option_type: 'PE', expiry: 'weekly', sl_pts: 30 },
  ],
}
const ONE = { strategy_id: 1 }

/** A book of the account of a run: of the given run, or of the newest. */
const ofRun = <Answer extends z.ZodType>(summary: string, answer: Answer) =>
  session(summary, {
    ...reading,
    ...ID,
    query: payloads.runQuery,
    answer,
    errors: [...missing, 'validation', ...broker],
  })

export const STRATEGY_OPERATIONS = {
  'POST /api/v1/strategy/list': api('Lists the strategies, newest first.', {
    body: payloads.listBody,
    example: {},
    answer: answers.strategyList,
  }),
  'POST /api/v1/strategy/status': api('Returns a strategy and its current run.', {
    body: payloads.strategyOnly,
    example: ONE,
    answer: answers.strategyStatus,
    errors: missing,
  }),
  'POST /api/v1/strategy/start': apiChange('Starts a batch strategy.', {
    body: payloads.startKeyed,
    example: { ...ONE, mode: 'sandbox' },
    answer: answers.started,
    errors: acting,
  }),
  'POST /api/v1/strategy/stop': apiChange('Stops the run of a strategy: closes what it holds.', {
    body: payloads.strategyOnly,
    example: ONE,
    answer: answers.stopped,
    errors: acting,
  }),
  'POST /api/v1/strategy/close_all': apiChange('Closes every position of a run.', {
    body: payloads.strategyOnly,
    example: ONE,
    answer: answers.stopped,
    errors: acting,
  }),
  'POST /api/v1/strategy/close_leg': apiChange('Closes the positions of one leg.', {
    body: payloads.closeLegBody,
    example: { ...ONE, leg_id: 1 },
    answer: answers.legClosed,
    errors: acting,
  }),
  'POST /api/v1/strategy/runs': api('Lists the runs of a strategy, newest first.', {
    body: payloads.runsBody,
    example: ONE,
    answer: answers.runList,
    errors: missing,
  }),
  'POST /api/v1/strategy/orders': api('Lists the newest 5,000 orders of a strategy, oldest first.', {
    body: payloads.ordersBody,
    example: ONE,
    answer: answers.orderList,
    errors: missing,
  }),
  'POST /api/v1/strategy/events': api('Lists the events of a strategy, newest first.', {
    body: payloads.eventsBody,
    example: { ...ONE, severity: 'critical' },
    answer: answers.eventList,
    errors: missing,
  }),

  'GET /strategy/api/strategies': session('Lists the strategies, newest first.', {
    ...reading,
    query: payloads.listQuery,
    answer: answers.strategyList,
    errors: ['validation'],
  }),
  'POST /strategy/api/strategies': session('Stores a new strategy. Its webhook token is shown once.', {
    ...changing,
    body: payloads.strategyBody,
    example: STRADDLE,
    answer: answers.strategyCreated,
    errors: [...json, 'conflict', 'refused'],
    status: 201,
  }),
  'GET /strategy/api/strategies/:id': session('Returns a strategy with its legs.', {
    ...reading,
    ...ID,
    answer: answers.strategyShown,
    errors: missing,
  }),
  'PATCH /strategy/api/strategies/:id': session('Changes the given fields of a strategy that does not run.', {
    ...changing,
    ...ID,
    body: payloads.strategyBody,
    example: { overall_sl_mtm: 3000 },
    answer: answers.strategyShown,
    errors: [...missing, ...json, 'conflict'],
  }),
  'DELETE /strategy/api/strategies/:id': session('Deletes a strategy with its runs, orders and events.', {
    ...changing,
    ...ID,
    answer: messageOnly,
    errors: [...missing, 'conflict'],
  }),
  'POST /strategy/api/strategies/:id/webhook/rotate': session('Replaces the webhook token.', {
    ...changing,
    ...ID,
    answer: answers.tokenRotated,
    errors: missing,
  }),
  'POST /strategy/api/strategies/:id/live': session('Allows or forbids live runs of a strategy.', {
    ...changing,
    ...ID,
    body: payloads.liveBody,
    fresh: { enabled: [true] },
    example: { enabled: false },
    answer: answers.liveSet,
    errors: [...missing, ...json, 'conflict'],
  }),
  'POST /strategy/api/strategies/:id/kill_switch': session('Locks the webhook, then stops the run.', {
    ...changing,
    ...ID,
    answer: answers.locked,
    errors: missing,
  }),
  'POST /strategy/api/strategies/:id/unlock_webhook': session('Unlocks the webhook.', {
    ...changing,
    ...ID,
    answer: answers.unlocked,
    errors: missing,
  }),
  'POST /strategy/api/strategies/:id/start': session('Starts a batch strategy.', {
    ...changing,
    ...ID,
    body: payloads.startBody,
    example: { mode: 'sandbox' },
    answer: answers.started,
    errors: [...acting, ...json],
  }),
  'POST /strategy/api/strategies/:id/stop': session('Stops the run: closes what it holds.', {
    ...changing,
    ...ID,
    answer: answers.stopped,
    errors: acting,
  }),
  'POST /strategy/api/strategies/:id/close_all': session('Closes every position of the run.', {
    ...changing,
    ...ID,
    answer: answers.stopped,
    errors: acting,
  }),
  'POST /strategy/api/strategies/:id/legs/:leg/close': session('Closes the positions of one leg.', {
    ...changing,
    ...LEG,
    answer: answers.legClosed,
    errors: acting,
  }),
  'POST /strategy/api/strategies/:id/runs/:run/release': session(
    'Ends a reserved run whose positions a person has closed, and frees its strategy. It sends nothing.',
    {
      ...changing,
      ...RUN,
      body: payloads.releaseBody,
      example: { reason: 'closed in the app of the broker', closed_by_hand: true },
      answer: answers.released,
      errors: [...missing, ...json, 'conflict'],
    },
  ),
  'GET /strategy/api/strategies/:id/runs': session('Lists the runs, newest first.', {
    ...reading,
    ...ID,
    query: payloads.runsQuery,
    answer: answers.runList,
    errors: [...missing, 'validation'],
  }),
  'GET /strategy/api/strategies/:id/orders': session('Lists the newest 5,000 orders, oldest first.', {
    ...reading,
    ...ID,
    query: payloads.runQuery,
    answer: answers.orderList,
    errors: [...missing, 'validation'],
  }),
  'GET /strategy/api/strategies/:id/checkpoints': session('Lists the checkpoints of a run, oldest first.', {
    ...reading,
    ...ID,
    query: payloads.oneRunQuery,
    answer: answers.checkpointList,
    errors: [...missing, 'validation'],
  }),
  'GET /strategy/api/strategies/:id/events': session('Lists the events, newest first.', {
    ...reading,
    ...ID,
    query: payloads.eventsQuery,
    answer: answers.eventList,
    errors: [...missing, 'validation'],
  }),
  'GET /strategy/api/strategies/:id/orderbook': ofRun(
    'Lists the orders of a run in the order book of today.',
    accountAnswers.orderbook,
  ),
  'GET /strategy/api/strategies/:id/tradebook': ofRun(
    'Lists the trades of a run in the trade book of today.',
    accountAnswers.tradebook,
  ),
  'GET /strategy/api/strategies/:id/positions': ofRun(
    'Lists the positions of the contracts that a run traded.',
    accountAnswers.positionbook,
  ),
  'GET /strategy/api/strategies/:id/webhook_events': session('Lists the newest 200 webhook calls.', {
    ...reading,
    ...ID,
    answer: answers.webhookEventList,
    errors: missing,
  }),
  'POST /strategy/api/plan': session('Compares strategy files with the stored strategies.', {
    ...changing,
    body: payloads.strategyFilesBody,
    example: { strategies: [{ key: 'morning-straddle', config: STRADDLE }] },
    answer: answers.strategyPlan,
    errors: json,
  }),
  'POST /strategy/api/apply': session('Makes the strategies match their files: all of them or none.', {
    ...changing,
    body: payloads.strategyFilesBody,
    example: { strategies: [{ key: 'morning-straddle', config: STRADDLE }] },
    answer: answers.strategiesApplied,
    errors: [...json, 'conflict', 'refused'],
  }),
}
