import { chartink } from './chartink.js'
import type { AlertSender } from './sender.js'
import { tradingview } from './tradingview.js'

/** Bodies as this service defines them: one signal. */
const native: AlertSender = {
  translate: ({ action, exchange, leg_id: legId, symbol }) => [{ action, legId, symbol, exchange }],
}

/** The forms of bodies, by the end of the webhook's path. */
export const SENDERS = { native, tradingview, chartink } as const satisfies Readonly<
  Record<string, AlertSender>
>
export type SenderName = keyof typeof SENDERS
