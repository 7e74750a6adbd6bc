import type { Context } from 'hono'
import type { ActOutcome } from '../../core/audit/index.js'
import type { Principal } from '../../core/identity/index.js'
import { type OrderOperationName, orderOperation } from '../../core/orders/index.js'
import type { RunningService } from '../daemon.js'
import { callerAddress, callOf } from '../http/client.js'
import type { OrderAnswer } from '../orders/answer.js'
import type { AppEnv } from '../process/env.js'
import { actorOf } from './request-audit.js'

export interface NotedOrder {
  operation: OrderOperationName
  principal: Principal
  answer: OrderAnswer
}

/**
 * Keeps the sender of each order until the audit trail has the order, and records changes of orders. It writes nothing
 * itself, so the answer does not wait.
 */
export function noteOrder(
  { audit, clock, daemon, origins }: Pick<RunningService, 'audit' | 'clock' | 'daemon' | 'origins'>,
  c: Context<AppEnv>,
  { answer, operation, principal }: NotedOrder,
): void {
  const { body, code, orderRef } = answer
  if (code !== 'ok' && code !== 'outcome_unknown' && !hasPlaced(body)) return
  const actor = actorOf(principal, callerAddress(callOf(c), daemon.proxies))
  for (const id of idsIn(body, orderRef)) origins.note(id, actor)
  const act = orderOperation(operation)?.act
  if (act === undefined) return
  const target = textIn(body, 'orderid') ?? textIn(body, 'trigger_id') ?? orderRef ?? null
  audit.appendLater(
    { act, actor, at: clock.now(), target, requestId: c.get('requestId') },
    { outcome: OUTCOMES[code] ?? 'failed', code: code === 'ok' ? null : code, after: { ...body } },
  )
}

/** How the trail calls an answer; any other code means that only a part of the request was executed. */
const OUTCOMES: Readonly<Partial<Record<OrderAnswer['code'], ActOutcome>>> = {
  ok: 'done',
  outcome_unknown: 'unknown',
}

type Body = OrderAnswer['body']

/** Returns whether an order of a failed request was placed. */
function hasPlaced({ results, split_results }: Body): boolean {
  const rows: Body[] = [results, split_results].flatMap((list) => (Array.isArray(list) ? list : []))
  return rows.some((row) => row.status === 'success' || hasPlaced(row))
}

/** Yields the ids of the orders in an answer, also those of baskets and splits. */
function* idsIn(body: Body, orderRef: string | undefined): Generator<string> {
  if (orderRef !== undefined) yield orderRef
  const id = textIn(body, 'orderid')
  if (id !== undefined) yield id
  for (const rows of [body.results, body.split_results]) {
    if (!Array.isArray(rows)) continue
    for (const row of rows) yield* idsIn(row, textIn(row, 'order_ref'))
  }
}

function textIn(body: Body, name: string): string | undefined {
  const value = body[name]
  return typeof value === 'string' ? value : undefined
}
