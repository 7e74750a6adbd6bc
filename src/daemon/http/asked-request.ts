import type { Context } from 'hono'
import type { RequestTrail } from '../../core/telemetry/index.js'
import type { OrderAnswer } from '../orders/answer.js'
import type { AppEnv, AskedOrder } from '../process/env.js'
import { callerAddress, callOf, type TrustedProxies } from './client.js'
import { DaemonRequest } from './request.js'

/** Where requests are kept by their ids. */
export interface TrailParts {
  requests: Pick<RequestTrail, 'record'>
  proxies: TrustedProxies
}

/** Notes the order that a request asks for, so that a refusal can be looked up with what was asked. */
export function noteAsked(c: Context<AppEnv>, asked: AskedOrder): void {
  c.set('asked', asked)
}

/** Keeps what an order request was answered, by its id. It writes nothing itself, so the answer does not wait. */
export function keepAnswer(c: Context<AppEnv>, parts: TrailParts, answer: OrderAnswer): void {
  const { body, code, orderRef, status } = answer
  const isRefused = code !== 'ok'
  const asked = c.get('asked')
  parts.requests.record({
    ...callerOf(c, parts),
    statusCode: status,
    ...(isRefused && { code, rule: textIn(body, 'rule'), message: messageIn(body), request: asked?.request }),
    callerKey: asked?.callerKey,
    mode: asked?.mode,
    subjects: [...new Set([...subjectsIn(body, orderRef), ...(isRefused ? targetIn(asked) : [])])],
    approvalId: typeof body.pending_order_id === 'number' ? body.pending_order_id : undefined,
  })
}

/** Keeps a refusal by the id of its request: nothing else is stored of it. */
export function keepRefusal(
  c: Context<AppEnv>,
  parts: TrailParts,
  { code, message, rule, status }: { code: string; message: string; rule: unknown; status: number },
): void {
  const asked = c.get('asked')
  parts.requests.record({
    ...callerOf(c, parts),
    statusCode: status,
    code,
    rule: typeof rule === 'string' ? rule : undefined,
    message,
    callerKey: asked?.callerKey,
    mode: asked?.mode,
    request: asked?.request,
    subjects: targetIn(asked),
  })
}

/** Returns the order that a refused change was about: the refusal belongs to its timeline. */
const targetIn = (asked: AskedOrder | undefined): string[] =>
  asked?.target === undefined ? [] : [asked.target]

function callerOf(c: Context<AppEnv>, { proxies }: TrailParts) {
  const { incoming } = c.env
  const noted = incoming instanceof DaemonRequest ? incoming : undefined
  return {
    requestId: c.get('requestId'),
    method: c.req.method,
    path: c.req.path,
    clientIp: callerAddress(callOf(c), proxies),
    userId: c.get('asked')?.userId ?? noted?.userId,
    receivedAt: noted?.receivedAt,
  }
}

type Body = OrderAnswer['body']

/** Yields our references of the orders in an answer, or their ids where there is no reference. */
function* subjectsIn(body: Body, orderRef: string | undefined): Generator<string> {
  const id = orderRef ?? textIn(body, 'orderid') ?? textIn(body, 'trigger_id')
  if (id !== undefined) yield id
  for (const rows of [body.results, body.split_results]) {
    if (!Array.isArray(rows)) continue
    for (const row of rows) yield* subjectsIn(row, textIn(row, 'order_ref'))
  }
}

/** Returns the message of a refusal; of a request of several orders, that of each one that failed. */
function messageIn(body: Body): string | undefined {
  const rows: Body[] = [body.results, body.split_results].flatMap((list) => (Array.isArray(list) ? list : []))
  const failed = rows.filter(({ status }) => status === 'error')
  const parts = failed.map((row) =>
    [textIn(row, 'symbol'), textIn(row, 'message')].filter(Boolean).join(': '),
  )
  return [textIn(body, 'message'), ...parts].filter(Boolean).join('; ') || undefined
}

function textIn(body: Body, name: string): string | undefined {
  const value = body[name]
  return typeof value === 'string' ? value : undefined
}
