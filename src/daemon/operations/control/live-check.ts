import { z } from 'zod'
import { FIRST_DAY_RULES } from '../../../core/risk/index.js'
import { fields } from '../../../core/validation/index.js'
import { checkLive, type LiveCheck } from '../../broker/live-check.js'
import { amount, ok, text } from '../common/answers.js'
import { control, nullableText, reading } from './control-facts.js'

const query = z.object({
  symbol: fields.text(100).default('SBIN'),
  exchange: fields.text(20).default('NSE'),
})

const answer = ok({
  data: z.strictObject({
    broker: text,
    funds: z.strictObject({ available_cash: amount.nullable(), error: nullableText }),
    quote: z.strictObject({ symbol: text, exchange: text, ltp: amount.nullable(), error: nullableText }),
    feed: z.strictObject({
      streams: z.boolean(),
      refused: z.boolean(),
      silent_ms: amount
        .nullable()
        .meta({ description: 'Since the last data of the connection; null if it has no heartbeat.' }),
    }),
    clock_ahead_ms: amount.nullable().meta({
      description:
        'By how much the clock of this machine is ahead of that of the broker; null if the broker tells none.',
    }),
    proposals: z
      .array(z.strictObject({ rule: z.enum(FIRST_DAY_RULES), value: amount, reason: text }))
      .meta({ description: 'Limits for a first day, from the funds and the price. Empty without them.' }),
  }),
})

/** What the broker says before a first day of live orders. */
export const LIVE_CHECK_OPERATIONS = {
  'GET /broker/check': control(
    'Asks the broker for funds, a price and its time, and proposes limits for a first day of live orders.',
    {
      ...reading,
      query,
      example: { symbol: 'SBIN', exchange: 'NSE' },
      answer,
      errors: ['validation'],
      run: async (service, { query: ref }) => ({
        status: 'success',
        data: { ...viewOf(await checkLive(service, ref), ref) },
      }),
    },
  ),
}

function viewOf(check: LiveCheck, { symbol, exchange }: z.output<typeof query>) {
  const { availableCash, broker, clockAheadMs, feed, proposals, quote } = check
  return {
    broker,
    funds: {
      available_cash: 'value' in availableCash ? availableCash.value : null,
      error: 'error' in availableCash ? availableCash.error : null,
    },
    quote: {
      symbol,
      exchange,
      ltp: 'value' in quote ? quote.value.ltp : null,
      error: 'error' in quote ? quote.error : null,
    },
    feed: { streams: feed.streams, refused: feed.refused, silent_ms: feed.silentMs ?? null },
    clock_ahead_ms: clockAheadMs ?? null,
    proposals: [...proposals],
  }
}
