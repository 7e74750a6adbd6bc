import type { RouteAnswer } from '../../../client/endpoints.js'
import { declared } from '../../framework/command/declared.js'
import { STRATEGY, strategyOf } from './find.js'

type Strategy = RouteAnswer<'GET /strategy/api/strategies/:id'>['data']

const FIELDS = [
  { key: 'url', title: 'URL' },
  { key: 'locked' },
  { key: 'allowed', title: 'ALLOWED ADDRESSES' },
  { key: 'body' },
  { key: 'tradingview_url', title: 'TRADINGVIEW URL' },
  { key: 'tradingview_body', title: 'TRADINGVIEW BODY' },
  { key: 'chartink_url', title: 'CHARTINK URL' },
] as const

/** TradingView fills the braces in when the alert fires. */
const TRADINGVIEW = { action: '{{strategy.order.action}}', market_position: '{{strategy.market_position}}' }

/** Returns the addresses of the webhook, and a body to paste for each sender. */
function howToCall(
  { legs, strategy_kind: kind, webhook_ip_allowlist, webhook_locked: locked }: Strategy,
  base: string,
) {
  const url = `${base}/strategy/webhook/<token>`
  const allowed = webhook_ip_allowlist.length === 0 ? 'any' : webhook_ip_allowlist.join(', ')
  const shared = { url, locked, allowed }
  if (kind === 'batch') return { ...shared, body: JSON.stringify({ action: 'start', mode: 'sandbox' }) }
  const leg = { leg_id: legs[0]?.id ?? 1 }
  return {
    ...shared,
    body: JSON.stringify({ action: 'long_entry', ...leg }),
    tradingview_url: `${url}/tradingview`,
    tradingview_body: JSON.stringify({ ...leg, ...TRADINGVIEW }),
    chartink_url: `${url}/chartink`,
  }
}

export const webhook = declared({
  name: 'webhook',
  summary: 'Shows how to call the webhook of a strategy: its address without the token, and bodies to paste.',
  examples: ['strategy webhook 1', 'strategy webhook 1 -q'],
  arguments: [STRATEGY],
  calls: 'GET /strategy/api/strategies/:id',
  request: strategyOf,
  record: ({ data }, { context }) => ({
    record: howToCall(data, context.target.url),
    fields: FIELDS,
    id: 'url',
  }),
  note: (_, { request }) =>
    `The token is shown once; a new one: svc strategy token rotate ${request.params.id}`,
})
