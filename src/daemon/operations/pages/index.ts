import { messageOnly } from '../common/answers.js'
import { approvedAll } from '../control/answers.js'
import * as logs from '../logs/answers.js'
import { logsQuery } from '../logs/payloads.js'
import { pnlDay } from '../pnl/answers.js'
import { open, signedIn } from '../running.js'
import { strategiesPage, strategyPage } from '../strategies/answers.js'
import { pageQuery, runQuery } from '../strategies/payloads.js'
import * as telemetry from '../telemetry/answers.js'
import { latencyQuery, trafficQuery } from '../telemetry/payloads.js'
import * as answers from './answers.js'
import { queuePageQuery } from './payloads.js'

const queue = signedIn('Action Center', 'api')
const account = signedIn('Account', 'api')
const log = signedIn('Logs', 'api')
const telemetryLog = signedIn('Logs', 'sixtyAMinute')
const security = signedIn('Security', 'sixtyAMinute')
const strategies = signedIn('Strategies', 'api')
const access = signedIn('Access')
const anyone = open('Access')

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
  'GET /auth/reauthenticate': access('Says what a proof needs; the page takes the password.', {
    ...page,
    answer: answers.proofForm,
  }),
  'GET /logging': log('Lists the pages.', { ...page, scopes: ['read'], answer: answers.pageList }),
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
  'GET /security': security('Returns the bans, suspects, settings and newest sign-in attempts.', {
    ...page,
    scopes: ['read'],
    answer: answers.securityPage,
  }),
  'GET /logs/security': security('Returns the same as GET /security.', {
    ...page,
    scopes: ['read'],
    answer: answers.securityPage,
  }),
  'GET /login': anyone('Returns whether the caller is signed in; the page signs in.', {
    ...page,
    answer: answers.visitor,
    errors: ['unavailable'],
  }),
  'GET /auth/login': anyone('Redirects to the page that signs in, or sets the service up.', { status: 302 }),
  'GET /auth/login/totp': anyone('Says what the second step needs; the page takes the code.', {
    ...page,
    answer: answers.pendingSignIn,
  }),
  'GET /setup': anyone('Returns whether the account must be created, and what that needs.', {
    ...page,
    answer: answers.setupForm,
    errors: ['unavailable'],
  }),
}
