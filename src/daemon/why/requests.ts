import {
  changesOne,
  ORDER_OPERATION_NAMES,
  ORDER_SOURCES,
  type OrderSource,
} from '../../core/orders/index.js'
import type { AskedRow } from '../../core/telemetry/index.js'
import { BY_ORDER_PATH } from '../orders/refused-orders.js'
import type { Timeline } from './timeline.js'

/** Adds a request, once, however many orders it became; or an order of one that was refused by itself. */
export function addRequest(timeline: Timeline, row: AskedRow): void {
  const isAnswer = isAnswered(row)
  if (!(isAnswer ? timeline.isNew('request', row.requestId) : timeline.isNew('refused order', row.id))) return
  timeline.add(
    {
      at: row.at,
      kind: 'request',
      id: row.requestId,
      what: isAnswer
        ? `${row.method} ${row.path} from ${row.clientIp}: ${row.statusCode}${askedText(row)}`
        : `Refused before it was an order: ${refusedText(row)}`,
    },
    {
      by: row.userId,
      mode: row.mode,
      rule: row.rule ?? row.code,
      state: stateOf(row),
      words: row.message,
    },
  )
}

/** Returns whether a row is about a request that was answered, and not about one order that the order path refused. */
export function isAnswered({ method }: AskedRow): boolean {
  return method !== BY_ORDER_PATH
}

const ASKED_BY: Readonly<Record<OrderSource, string>> = {
  api: 'a request',
  approval: 'an approval',
  flow: 'a workflow',
  strategy: 'a strategy',
  mcp: 'an assistant',
}

/** Returns what was refused: `placeorder of a workflow, BUY 10 SBIN NSE`. */
function refusedText({ path, request }: AskedRow): string {
  const [, source, operation] = path.split('/')
  const by = ORDER_SOURCES.find((one) => one === source)
  return `${operation}${by === undefined ? '' : ` of ${ASKED_BY[by]}`}${askedText({ request })}`
}

/** Returns the order that was asked for: `, BUY 10 SBIN NSE`; nothing of a request that became an order, or asks for several. */
function askedText({ request }: Pick<AskedRow, 'request'>): string {
  const asked: unknown = JSON.parse(request ?? '{}')
  const words = ['action', 'quantity', 'symbol', 'exchange'].map((name) => Reflect.get(Object(asked), name))
  const order = words.filter((word) => word !== undefined).join(' ')
  return order === '' ? '' : `, ${order}`
}

/** Returns what became of a request. */
export function stateOf(row: AskedRow): string {
  if (row.code === 'outcome_unknown') return 'unknown'
  if (row.code !== null) return 'refused'
  return row.approvalId === null ? 'done' : 'queued'
}

/** Returns whether a request was to change or cancel an order that was there before it. */
export function isChangeOfOne({ path }: AskedRow): boolean {
  const name = path.split('/').at(-1)
  const operation = ORDER_OPERATION_NAMES.find((one) => one === name)
  return operation !== undefined && changesOne(operation)
}
