import { z } from 'zod'
import { ok, text } from '../common/answers.js'
import { signedIn } from '../running.js'

/** The pages, as the landing page lists them. */
const PAGES = [
  [
    '/action-center',
    'Approvals',
    'Orders that wait for a decision: approve, reject, see what became of them.',
  ],
  ['/orders', 'Orders', 'The orders of today with their state, as the broker has them.'],
  ['/positions', 'Positions', 'The positions with their prices, values and profit.'],
  [
    '/strategies',
    'Strategies',
    'Runs with their profit, legs, orders and events; start, stop and lock them.',
  ],
  ['/logs/live', 'Order log', 'Every live order request and its answer, by day, with an export.'],
  ['/logs/sandbox', 'Analyzer log', 'The same for Analyzer mode.'],
  ['/pnl-tracker', 'P&L', "The day's profit and its drawdown, minute by minute."],
  ['/logs/traffic', 'Traffic', 'Every request to the service: status, duration, caller.'],
  ['/logs/latency', 'Latency', 'How long orders take, by broker and type.'],
  ['/logs/security', 'Security', 'Banned addresses, suspects, sign-in attempts.'],
  ['/search', 'Search', 'Instruments by words.'],
] as const

const pageList = ok({
  data: z.array(z.strictObject({ path: text, title: text, description: text })),
})

/** The page that lists the pages. */
export const LANDING_OPERATIONS = {
  'GET /logging': signedIn(
    'Logs',
    'api',
    'read',
  )('Lists the pages.', {
    answerText: 'text/html',
    answer: pageList,
    run: () => ({
      status: 'success',
      data: PAGES.map(([path, title, description]) => ({ path, title, description })),
    }),
  }),
}
