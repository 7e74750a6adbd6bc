import { z } from 'zod'
import { delivery, limitedDelivery, refusedDelivery } from './answers/strategy-webhook.js'
import { open } from './operation.js'

const webhook = (summary: string, params: Readonly<Record<string, string>>, example: object) =>
  open('Strategies')(summary, {
    params: { token: 'The token of the strategy, which is the only credential.', ...params },
    limit: 'strategyWebhook',
    body: z.looseObject({}),
    example,
    answer: delivery,
    others: {
      400: refusedDelivery,
      403: refusedDelivery,
      404: refusedDelivery,
      409: refusedDelivery,
      429: limitedDelivery,
      500: refusedDelivery,
    },
    errors: ['too_large', 'unavailable'],
  })

/** The public webhook of strategies. */
export const STRATEGY_WEBHOOK_OPERATIONS = {
  'POST /strategy/webhook/:token': webhook(
    'Starts or stops a batch strategy, or sends a signal to a leg of a signal strategy.',
    {},
    { action: 'start', mode: 'sandbox' },
  ),
  'POST /strategy/webhook/:token/:sender': webhook(
    'Takes the alerts of TradingView strategies and ChartInk scans as signals.',
    { sender: '`tradingview` or `chartink`: the form of the body.' },
    { scan_name: 'Breakout BUY', stocks: 'SBIN,INFY', trigger_prices: '812.5,1520' },
  ),
}
