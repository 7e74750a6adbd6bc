import { WHY_COLUMNS, WHY_FIELDS } from '../../../views/logs/why.js'
import { countText } from '../../../views/text/count.js'
import type { NounSpec } from '../../framework/command/command.js'
import { called } from '../../framework/command/declared.js'

export const why: NounSpec = {
  summary: 'Shows what became of an order, an approval, a request or a signal: from the request to the fill.',
  examples: ['why 26112045901458', 'why approval:12', 'why morning-entry-7', 'why 26112045901458 -o json'],
  details:
    'The id is any that svc prints: an order reference, an order or trigger id, a client_order_id, a request id (also of a refusal, which stores nothing else), or the number of an approval, webhook call, run or event of a strategy or run of a workflow. Of numbers, approvals come first; signal:12, run:12, execution:12 and event:12 name the others. TRAFFIC_LOG_RETENTION_DAYS sets how long requests are kept. -o json is one record, of the schema why/1; svc schema why describes it.',
  arguments: [{ syntax: '<id>', summary: 'what to explain', complete: 'orders' }],
  run: called({
    calls: 'POST /api/v1/why',
    reads: true,
    request: (input) => ({ body: { id: idOf(input.required(0)) } }),
    record: ({ data }) => ({ record: data, id: 'id', fields: WHY_FIELDS }),
    parts: ({ data }) => ({
      rows: data.entries,
      columns: WHY_COLUMNS,
      id: 'at',
      empty: 'Nothing is recorded.',
    }),
    note: ({ data: { also, more } }) =>
      [
        more > 0 && `And ${countText(more, 'more order')}: svc why explains each by its own id.`,
        also.length > 0 && `The same id also names ${also.join(', ')}.`,
      ]
        .filter(Boolean)
        .join('\n') || undefined,
  }),
}

/** Returns an id as the daemon knows it: other commands name orders and approvals as `order/6` and `approval/6`. */
function idOf(word: string): string {
  const [, noun, id] = /^(order|approval)\/(.+)$/.exec(word) ?? []
  return noun === undefined || id === undefined ? word : `${noun}:${id}`
}
