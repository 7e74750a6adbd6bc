import { changesOne, ORDER_OPERATION_NAMES } from '../../core/orders/index.js'
import type { AskedRow } from '../../core/telemetry/index.js'
import type { Timeline } from './timeline.js'

/** Adds a request, once, however many orders it became. */
export function addRequest(timeline: Timeline, rows: readonly AskedRow[]): void {
  const [row] = rows
  if (!row || !timeline.isNew('request', row.requestId)) return
  timeline.add(
    {
      at: row.at,
      kind: 'request',
      id: row.requestId,
      what: `${row.method} ${row.path} from ${row.clientIp}: ${row.statusCode}`,
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
