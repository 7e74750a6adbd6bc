import type { WebhookLeg, WebhookStrategy } from '../../../../src/core/strategies/webhook/strategies.js'

/** A leg of SBIN on NSE, long and short. */
export const leg = (over: Partial<WebhookLeg> = {}): WebhookLeg => ({
  id: 1,
  symbol: 'SBIN',
  exchange: 'NSE',
  segment: 'cash',
  side: 'both',
  qty: 10,
  qtyMode: 'units',
  ...over,
})

/** A signal strategy with one leg, unless a test says otherwise. */
export const strategyWith = (over: Partial<WebhookStrategy> = {}): WebhookStrategy => ({
  id: 7,
  kind: 'signal',
  direction: 'both',
  strategyType: 'positional',
  product: 'MIS',
  entryTime: null,
  exitTime: null,
  liveEnabled: false,
  webhookTokenHash: '',
  webhookLocked: false,
  webhookIpAllowlist: [],
  legs: [leg()],
  configText: '',
  ...over,
})
