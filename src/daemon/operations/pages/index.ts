import { messageOnly } from '../common/answers.js'
import { approvedAll } from '../control/answers.js'
import * as logs from '../logs/answers.js'
import { logsQuery } from '../logs/payloads.js'
import { pnlDay } from '../pnl/answers.js'
import { signedIn } from '../running.js'
import { strategiesPage, strategyPage } from '../strategies/answers.js'
import { pageQuery, runQuery } from '../strategies/payloads.js'
import * as telemetry from '../telemetry/answers.js'
import { latencyQuery, trafficQuery } from '../telemetry/payloads.js'
import * as answers from './answers.js'
import { LANDING_OPERATIONS } from './landing.js'
import { queuePageQuery } from './payloads.js'
import { SECURITY_PAGE_OPERATIONS } from './security.js'
import { PROOF_PAGE_OPERATIONS, VISITOR_PAGE_OPERATIONS } from './visitor.js'

const queue = signedIn('Action Center', 'api')
const account = signedIn('Account', 'api')
const log = signedIn('Logs', 'api')
const telemetryLog = signedIn('Logs', 'sixtyAMinute')
const strategies = signedIn('Strategies', 'api')

const page = { answerText: 'text/html' } as const
const reading = { scopes: ['read'], errors: ['validation'], ...page } as const
const measured = { scopes: ['read', 'admin'], errors: ['validation'], ...page } as const
const DAY = { start_date: '2026-11-20', end_date: '2026-11-20', search: 'placeorder' }
const YESTERDAY = { since: '2026-11-20T00:00:00+05:30' }

/**
 * The addresses that a browser sees as pages, and a script as JSON. The rows of other chapters with the type
 * `text/html` are pages too.
 */
export const PAGE_OPERATIONS = {
  'GET /action-center': queue('Lists the approval queue, with one order besides.', {
    ...page,
    scopes: ['read', 'approvals'],
    query: queuePageQuery,
    example: { status: 'pending', order: 41 },
    answer: answers.queuePage,
    errors: ['validation'],
  }),
  'POST /action-center/approve-all/:id': queue(
    'Approves and executes the waiting orders up to one; those that arrived after it stay pending.',
    {
      scopes: ['approvals'],
      params: { id: 'The id of the newest order to approve.' },
      answer: approvedAll,
      errors: ['not_found'],
    },
  ),
  'POST /action-center/delete/:id': queue('Deletes a decided order, for forms: they cannot send DELETE.', {
    scopes: ['approvals'],
    params: { id: 'The id of the order in the queue.' },
    answer: messageOnly,
    errors: ['not_found', 'not_pending', 'refused', 'conflict'],
  }),
  'GET /pnl-tracker': account('Returns the same as POST /pnltracker/api/pnl.', {
    ...page,
    scopes: ['read'],
    answer: pnlDay,
    errors: ['refused', 'broker_rejected', 'broker_missing', 'broker_protocol'],
  }),
  'GET /strategies': strategies('Lists the strategies with their current or last runs, newest first.', {
    ...page,
    scopes: ['read', 'strategies'],
    query: pageQuery,
    example: { status: 'running' },
    answer: strategiesPage,
    errors: ['validation'],
  }),
  'GET /strategies/:id': strategies('Returns a strategy with one run: its legs, orders and events.', {
    ...page,
    scopes: ['read', 'strategies'],
    params: { id: 'The id of the strategy.' },
    query: runQuery,
    answer: strategyPage,
    errors: ['not_found', 'validation'],
  }),
  ...PROOF_PAGE_OPERATIONS,
  ...LANDING_OPERATIONS,
  'GET /logs/live': log('Returns the same as GET /logs.', {
    ...reading,
    query: logsQuery,
    example: { page: 1, ...DAY },
    answer: logs.logs,
  }),
  'GET /logs/sandbox': log('Lists the analyzer log as GET /logs does the order log.', {
    ...reading,
    query: logsQuery,
    example: { page: 1, ...DAY },
    answer: logs.logs,
  }),
  'GET /traffic': telemetryLog('Returns the same as GET /logs/traffic.', {
    ...measured,
    query: trafficQuery,
    example: { ...YESTERDAY, errors: 'true' },
    answer: telemetry.trafficPage,
  }),
  'GET /latency': telemetryLog('Returns the same as GET /logs/latency.', {
    ...measured,
    query: latencyQuery,
    example: { ...YESTERDAY, order_type: 'PLACE' },
    answer: telemetry.latencyPage,
  }),
  ...SECURITY_PAGE_OPERATIONS,
  ...VISITOR_PAGE_OPERATIONS,
}
