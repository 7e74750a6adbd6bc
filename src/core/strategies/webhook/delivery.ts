import { WEBHOOK_TOKEN_PREFIX } from '../catalog/token.js'
import type { WebhookResult } from '../config/vocabulary.js'
import type { NewWebhookEvent } from '../store/webhook-event-store.js'
import { redactedPayload, redactedText } from './redaction.js'
import type { SenderName } from './senders/index.js'
import type { Body } from './senders/sender.js'
import type { WebhookStrategy } from './strategies.js'

/** A delivery as it arrived. */
export interface Delivery {
  readonly token: string
  readonly sender: SenderName
  /** The canonical address of the caller. No entry of an allow-list matches another text. */
  readonly address: string
  /** False if the caller may have made up its address: it is on no allow-list then. */
  readonly isAddressCertain: boolean
  readonly userAgent: string | undefined
  /** Reads the body. Only called for a valid token, an open lock and an allowed address. */
  body(): Promise<DeliveryBody>
}

/** The body of a delivery, or the reason it cannot be read. */
export type DeliveryBody = { readonly body: Body } | { readonly problem: string }

/** A delivery to a known strategy. */
export interface Known {
  readonly delivery: Delivery
  readonly receivedAt: number
  readonly strategy: WebhookStrategy
}

/** A delivery whose body is read. */
export interface Read extends Known {
  readonly body: Body
  /** The action in the words of this service, if the sender has others. */
  readonly action?: unknown
}

const MAX_ACTION = 20
const MAX_MODE = 10
const MAX_USER_AGENT = 255
const MAX_ADDRESS = 45

/** Returns the row of the audit for the end of a delivery, without credentials. */
export function eventOf(
  { delivery, receivedAt, ...read }: Pick<Known, 'delivery' | 'receivedAt'> & Partial<Read>,
  result: WebhookResult,
  error: string | null = null,
): NewWebhookEvent {
  const { action, body, strategy } = read
  const secrets = [delivery.token, WEBHOOK_TOKEN_PREFIX]
  return {
    strategyId: strategy?.id ?? null,
    action: redactedText(action ?? body?.action, secrets, MAX_ACTION),
    mode: redactedText(body?.mode, secrets, MAX_MODE),
    payload: body === undefined ? null : redactedPayload(body, secrets),
    ip: delivery.address.slice(0, MAX_ADDRESS),
    userAgent: redactedText(delivery.userAgent, secrets, MAX_USER_AGENT) ?? '',
    receivedAt,
    result,
    error,
  }
}
