import type { WebhookStrategy } from '../ports.js'
import type { SignalRequest } from '../signal.js'

/** What a body of a sender means for a signal strategy: its signals, or the reason why it has no meaning. */
export type Translation = readonly [SignalRequest, ...SignalRequest[]] | { readonly problem: string }

export type Body = Readonly<Record<string, unknown>>

/** A sender of alerts whose bodies have a form of their own. */
export interface AlertSender {
  translate(body: Body, strategy: WebhookStrategy): Translation
}
