import type { SignalRequest } from '../signal.js'
import type { WebhookStrategy } from '../strategies.js'

/** The signals that the body of a sender stands for, or the reason for a refusal. */
export type Translation = readonly [SignalRequest, ...SignalRequest[]] | { readonly problem: string }

export type Body = Readonly<Record<string, unknown>>

/** A sender of alerts whose bodies have a form of their own. */
export interface AlertSender {
  translate(body: Body, strategy: WebhookStrategy): Translation
}
