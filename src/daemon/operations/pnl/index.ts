import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { emptyDay } from '../../../core/pnl/index.js'
import type { RunningService } from '../../daemon.js'
import type { SignedInCaller } from '../../http/caller.js'
import { HttpRefusal } from '../../http/response/error-status.js'
import { wantsPage } from '../../pages/negotiate.js'
import { amount, count, ok, text } from '../common/answers.js'
import { http, signedIn } from '../running.js'

const NO_KEY = 'API key not configured. Please generate an API key in /apikey'

const account = signedIn('Account', 'api')
const brokerRefusals = ['broker_rejected', 'broker_missing', 'broker_protocol'] as const

const point = z.strictObject({ time: count.meta({ description: 'Epoch milliseconds.' }), value: amount })
const minute = z
  .string()
  .nullable()
  .meta({ pattern: '^\\d{2}:\\d{2}$', description: 'HH:MM, Indian time; null without a series.' })

const day = z.strictObject({
  current_mtm: amount.meta({ description: 'The last value of the series.' }),
  max_mtm: amount,
  max_mtm_time: minute,
  min_mtm: amount,
  min_mtm_time: minute,
  max_drawdown: amount.meta({ description: 'The largest fall from a peak: zero or negative.' }),
  pnl_series: z.array(point),
  drawdown_series: z.array(point).meta({ description: 'How far each value is below the peak before it.' }),
})
const pnlDay = ok({ data: day })

const ofPage = 'Only for a browser: '
/** A script gets the same as from POST; a browser waits for no bars, and gets the newest known day. */
const pnlPage = ok({
  data: day.extend({
    as_of: count.optional().meta({
      description: `${ofPage}when the books of the day were read, in epoch milliseconds; absent before the first day is read.`,
    }),
    reading: z
      .boolean()
      .optional()
      .meta({ description: `${ofPage}whether a newer day is being read.` }),
    positions: z
      .array(z.strictObject({ symbol: text, exchange: text, quantity: amount, pnl: amount }))
      .optional()
      .meta({ description: `${ofPage}the position book, the largest profit or loss first.` }),
    strategies: z
      .array(
        z.strictObject({
          strategy: text.nullable(),
          realized: amount,
          unrealized: amount,
          total: amount,
        }),
      )
      .optional()
      .meta({
        description: `${ofPage}the profit of the position book by strategy; strategy is null for the rest.`,
      }),
  }),
})

/** The profit and loss of the day. */
export const PNL_OPERATIONS = {
  'POST /pnltracker/api/pnl': account(
    'Returns the profit and loss of the day by the minute; it only reads.',
    {
      scopes: ['read'],
      answer: pnlDay,
      errors: ['refused', ...brokerRefusals],
      audit: { unrecorded: 'It changes nothing.' },
      run: profitOfToday,
    },
  ),
}

/** The same for a browser. */
export const PNL_PAGE = {
  'GET /pnl-tracker': account('Returns the same as POST /pnltracker/api/pnl.', {
    answerText: 'text/html',
    scopes: ['read'],
    answer: pnlPage,
    errors: ['refused', ...brokerRefusals],
    run: http('a page', async (service, c) => {
      const { username } = c.get('principal')
      if (!wantsPage(c)) return c.json(await profitOfToday(service, undefined, { username }))
      return c.json(await profitOfPage(service, username))
    }),
  }),
}

async function profitOfToday(
  service: RunningService,
  _input: unknown,
  { username }: Pick<SignedInCaller, 'username'>,
) {
  requireBars(service, username)
  return { status: 'success' as const, data: await service.pnl.today(username) }
}

async function profitOfPage(service: RunningService, username: string): Promise<z.infer<typeof pnlPage>> {
  requireBars(service, username)
  const [{ asOf, day = emptyDay(), isReading }, positions] = await Promise.all([
    service.pnl.latest(username),
    service.pnl.positions(username),
  ])
  const rows = positions
    .map(({ exchange, pnl, quantity, symbol }) => ({ symbol, exchange, quantity, pnl }))
    .sort((one, other) => Math.abs(other.pnl) - Math.abs(one.pnl))
  const strategies = await service.strategies.shares(username, positions)
  const known = { ...day, ...(asOf !== undefined && { as_of: asOf }), reading: isReading }
  return { status: 'success', data: { ...known, positions: rows, strategies } }
}

/** @throws HttpRefusal or ServiceError without a broker that has bars, or without an API key */
function requireBars({ brokers, identity }: RunningService, username: string): void {
  if (!brokers.connected()) throw new ServiceError('refused', 'Broker not set in session')
  if (!identity.apiKeys.has(username)) throw new HttpRefusal('forbidden', NO_KEY, 401)
}
