import { ServiceError } from '../../errors/index.js'
import { checkSignature, type MessageHeaders, safeEqual } from '../../secrets/index.js'
import { isObject } from '../../validation/index.js'
import type { Body } from '../ports.js'
import type { Workflow } from '../schema.js'
import type { Workflows } from '../workflows.js'

/** A webhook call before authentication. */
export interface WebhookCall {
  token: string
  /** The `secret` parameter of the query. */
  querySecret: string | undefined
  /** The parsed body; undefined if it was not JSON. */
  body: unknown
  /** From the path. */
  symbol: string | undefined
  /** The headers of a signature, and the bytes that it signs. */
  headers: MessageHeaders
  bytes: Uint8Array
}

/** A call with a valid credential. */
interface AdmittedCall {
  workflow: Workflow
  /** The body without the secret. */
  payload: Body
  /** The id of a signed call; undefined for others. The call has to run at most once under it. */
  id: string | undefined
}

const MISSING = {
  url: 'Missing webhook secret in URL. Use ?secret=your_secret',
  payload: "Missing webhook secret in payload. Add 'secret' field to JSON body",
} as const

/** Trigger types that only the service's own monitors may set, because a run trusts their prices. */
const RESERVED_TRIGGERS: readonly unknown[] = ['price_alert', 'order_update']

/**
 * Authenticates a webhook call.
 * @throws ServiceError `not_found` for an unknown token, `forbidden` for a disabled webhook or an inactive
 * workflow, `unauthenticated` for a missing or wrong secret or signature, `validation` for a body that is not an
 * object
 */
export function admitWebhook(
  workflows: Pick<Workflows, 'byToken'>,
  call: WebhookCall,
  now: number,
): AdmittedCall {
  const workflow = requireOpen(workflows.byToken(call.token))
  const type = workflow.webhookAuthType
  const id = type === 'signed' ? requireSignature(workflow, call, now) : requireSecret(workflow, type, call)
  assertObject(call.body)
  return { workflow, payload: payloadOf(call), id }
}

/**
 * Returns a workflow that its webhook may start now.
 * @throws ServiceError `not_found` if there is none, `forbidden` if its webhook is off or it is inactive
 */
export function requireOpen(workflow: Workflow | undefined): Workflow {
  if (!workflow) throw refused('not_found', 'Invalid webhook token')
  if (!workflow.webhookEnabled) throw refused('forbidden', 'Webhook is disabled')
  if (!workflow.isActive) throw refused('forbidden', 'Workflow is not active')
  return workflow
}

function requireSecret(
  { webhookSecret }: Workflow,
  type: keyof typeof MISSING,
  call: WebhookCall,
): undefined {
  if (type === 'payload') assertObject(call.body)
  const given: unknown = type === 'url' ? call.querySecret : secretOf(call.body)
  if (given === undefined || given === null || given === '') throw refused('unauthenticated', MISSING[type])
  if (typeof given !== 'string' || !safeEqual(given, webhookSecret)) {
    throw refused('unauthenticated', 'Invalid webhook secret')
  }
}

/** @returns the id of the call */
function requireSignature({ webhookSecret }: Workflow, call: WebhookCall, now: number): string {
  // A secret that cannot be opened is empty. Its key would be known to everybody.
  if (webhookSecret === '') throw refused('unauthenticated', 'Invalid webhook signature')
  const verdict = checkSignature({ headers: call.headers, body: call.bytes }, signingKey(webhookSecret), now)
  if ('problem' in verdict) throw refused('unauthenticated', verdict.problem)
  // The path is not signed: somebody on the way could trade another symbol.
  if (call.symbol !== undefined) {
    throw refused('validation', 'A signed call takes its symbol from the body, not from the address')
  }
  return verdict.id
}

/** Returns the bytes that the hexadecimal secret of a webhook stands for. */
export function signingKey(webhookSecret: string): Buffer {
  return Buffer.from(webhookSecret, 'hex')
}

function assertObject(body: unknown): void {
  if (!isObject(body)) throw refused('validation', 'Webhook body must be a JSON object')
}

const secretOf = (body: unknown): unknown => (isObject(body) ? body.secret : undefined)

/** Returns the body for the run and its record, without a secret: some senders give it although it stands elsewhere. */
function payloadOf({ body, symbol }: WebhookCall): Body {
  const payload: Body = isObject(body) ? { ...body } : {}
  delete payload.secret
  if (RESERVED_TRIGGERS.includes(payload.trigger_type)) delete payload.trigger_type
  return symbol === undefined ? payload : { ...payload, symbol }
}

/** The public webhook API reports errors in the field `error`. */
function refused(
  code: 'not_found' | 'forbidden' | 'validation' | 'unauthenticated',
  message: string,
): ServiceError {
  return new ServiceError(code, message, { extra: { error: message } })
}
