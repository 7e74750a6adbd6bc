import { ServiceError } from '../../../core/errors/index.js'
import { journalView, type OrderJournal, type Reconciler } from '../../../core/orders/index.js'
import type { Handlers } from '../../http/handlers.js'

export interface JournalParts {
  journal: OrderJournal
  reconciler: Reconciler
  /** The active broker: a person may name an order by its id there. */
  brokerId(): string
}

/** Returns the handlers of the order journal: they list orders and let a person settle an order whose end nobody knows. */
export function journalHandlers({ brokerId, journal, reconciler }: JournalParts) {
  const own = async (username: string, orderRef: string) => {
    const row = (await journal.find(orderRef)) ?? (await journal.findByOrderId(brokerId(), orderRef))
    if (row?.userId !== username) throw new ServiceError('not_found', `Order ${orderRef} not found`)
    return row
  }
  return {
    'GET /orders/journal': async ({ query: { limit, ...query } }, { username }) => {
      const rows = await journal.list(username, limit + 1, query)
      const page = rows.slice(0, limit)
      const next = rows.length > limit ? page.at(-1)?.orderRef : undefined
      return { status: 'success', data: page.map(journalView), next_before: next ?? null }
    },
    'GET /orders/journal/:ref': async ({ params: { ref } }, { username }) => {
      const row = await own(username, ref)
      const events = (await journal.events(row.orderRef)).map((event) => ({
        at: new Date(event.at).toISOString(),
        from: event.fromState,
        to: event.toState,
        detail: event.detail,
      }))
      return { status: 'success', data: { ...journalView(row), events } }
    },
    'POST /orders/journal/:ref/settle': async ({ params: { ref }, body }, { username }) => {
      const { outcome, orderid: orderId, ...rest } = body
      const row = await own(username, ref)
      await reconciler.settle(row.orderRef, { outcome, orderId, ...rest, by: username })
      return { status: 'success', message: `Order ${row.orderRef} settled as ${outcome}` }
    },
  } satisfies Partial<Handlers>
}
