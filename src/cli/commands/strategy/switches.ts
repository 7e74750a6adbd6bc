import type { RouteAnswer } from '../../../client/endpoints.js'
import { asksAgain } from '../../framework/asks-again.js'
import type { CommandSpec } from '../../framework/command/command.js'
import { declared } from '../../framework/command/declared.js'
import { type OfStrategy, STRATEGY, strategyOf } from './find.js'

const seeIt = ({ request }: OfStrategy) => `See the strategy: svc strategy show ${request.params.id}`
const withId = (answer: object, { request }: OfStrategy) => ({ id: Number(request.params.id), ...answer })

export const live = declared({
  name: 'live',
  summary: 'Allows or forbids live runs of a strategy.',
  examples: ['strategy live 1 on', 'strategy live morning-straddle off'],
  details:
    'Only the owner does this; a webhook or an API key cannot. `on` asks, and needs --yes in a script. ' +
    asksAgain('`on`'),
  arguments: [
    STRATEGY,
    { syntax: '<state>', summary: 'whether live runs are allowed', choices: ['on', 'off'] },
  ],
  calls: 'POST /strategy/api/strategies/:id/live',
  request: async (input, context) => ({
    ...(await strategyOf(input, context)),
    body: { enabled: input.required(1) === 'on' },
  }),
  asks: ({ input }) =>
    input.required(1) === 'on' ? `Let strategy ${input.required(0)} send live orders` : undefined,
  followUp: seeIt,
  acted: ({ live_enabled }, { input }) =>
    `Live runs of strategy ${input.required(0)} are ${live_enabled ? 'allowed' : 'forbidden'}.`,
  document: withId,
})

export const lock = declared({
  name: 'lock',
  summary: 'Kill switch of one strategy: locks its webhook, then stops its run.',
  examples: ['strategy lock 1', 'strategy lock morning-straddle'],
  arguments: [STRATEGY],
  calls: 'POST /strategy/api/strategies/:id/kill_switch',
  request: strategyOf,
  followUp: seeIt,
  acted: ({ message }) => `${message}.`,
  document: withId,
  note: ({ stop_pending }, { request }) =>
    stop_pending ? `Exits are pending: svc strategy events ${request.params.id}` : undefined,
})

export const unlock = declared({
  name: 'unlock',
  summary: 'Unlocks the webhook of a strategy.',
  examples: ['strategy unlock 1'],
  arguments: [STRATEGY],
  calls: 'POST /strategy/api/strategies/:id/unlock_webhook',
  request: strategyOf,
  followUp: seeIt,
  acted: ({ message }) => `${message}.`,
  document: withId,
})

const rotate = declared({
  name: 'rotate',
  summary: 'Creates a new webhook token, shown only once. The old one stops working at once.',
  examples: ['strategy token rotate 1', 'strategy token rotate 1 --yes -q'],
  arguments: [STRATEGY],
  calls: 'POST /strategy/api/strategies/:id/webhook/rotate',
  request: strategyOf,
  asks: ({ input }) => `Replace the webhook token of strategy ${input.required(0)}`,
  followUp: ({ request }) =>
    `Without the new token, rotate again: svc strategy token rotate ${request.params.id}`,
  record: ({ webhook_token }, { request }) => ({
    record: { id: Number(request.params.id), webhook_token },
    fields: [{ key: 'id' }, { key: 'webhook_token', title: 'WEBHOOK TOKEN' }],
    id: 'webhook_token',
  }),
  note: ({ message }) => message,
})

export const token: CommandSpec = {
  name: 'token',
  summary: 'The webhook token of a strategy.',
  examples: ['strategy token rotate 1'],
  verbs: [rotate],
}

type Strategy = RouteAnswer<'GET /strategy/api/strategies/:id'>['data']

const WEBHOOK_FIELDS = [
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
    fields: WEBHOOK_FIELDS,
    id: 'url',
  }),
  note: (_, { request }) =>
    `The token is shown once; a new one: svc strategy token rotate ${request.params.id}`,
})
