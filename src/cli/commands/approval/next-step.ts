import type { Approval } from '../../../views/approvals/approval.js'
import { ordersOf } from '../order/names.js'

/** Returns the next step for an approval that was sent; undefined for one that sent nothing or is not decided. */
export function nextStep(row: Approval): string | undefined {
  if (row.execution === 'failed')
    return 'Nothing is at the broker. If you still want the order, place it again.'
  if (row.execution === 'in_doubt') return `Do not send it again. Follow it: svc approval show ${row.id}`
  const { ids } = ordersOf(row)
  if (ids.length === 0) return undefined
  const look =
    ids.length === 1
      ? `See its order: svc order status ${ids[0]}`
      : `See its orders: svc order status approval/${row.id}`
  return row.execution === 'partial' ? `${look}. Place again only the orders that failed.` : look
}
