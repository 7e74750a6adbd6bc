import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import type { RunningService } from '../../daemon.js'
import type { SignedInCaller } from '../../http/caller.js'
import { HttpRefusal } from '../../http/response/error-status.js'
import { amount, count, ok } from '../common/answers.js'
import { signedIn } from '../running.js'

const NO_KEY = 'API key not configured. Please generate an API key in /apikey'

const account = signedIn('Account', 'api')
const brokerRefusals = ['broker_rejected', 'broker_missing', 'broker_protocol'] as const

const point = z.strictObject({ time: count.meta({ description: 'Epoch milliseconds.' }), value: amount })
const minute = z
  .string()
  .nullable()
  .meta({ pattern: '^\\d{2}:\\d{2}$', description: 'HH:MM, Indian time; null without a series.' })

const pnlDay = ok({
  data: z.strictObject({
    current_mtm: amount.meta({ description: 'The last value of the series.' }),
    max_mtm: amount,
    max_mtm_time: minute,
    min_mtm: amount,
    min_mtm_time: minute,
    max_drawdown: amount.meta({ description: 'The largest fall from a peak: zero or negative.' }),
    pnl_series: z.array(point),
    drawdown_series: z.array(point).meta({ description: 'How far each value is below the peak before it.' }),
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
    answer: pnlDay,
    errors: ['refused', ...brokerRefusals],
    run: profitOfToday,
  }),
}

async function profitOfToday(
  { brokers, identity, pnl }: RunningService,
  _input: unknown,
  { username }: SignedInCaller,
) {
  if (!brokers.connected()) throw new ServiceError('refused', 'Broker not set in session')
  if (!identity.apiKeys.has(username)) throw new HttpRefusal('forbidden', NO_KEY, 401)
  return { status: 'success' as const, data: await pnl.today(username) }
}
