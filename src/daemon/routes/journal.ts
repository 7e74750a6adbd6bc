import { Hono } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../core/errors/index.js'
import { journalView, ORDER_STATES, type OrderJournal, type Reconciler } from '../../core/orders/index.js'
import { fields, parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { readJson } from '../http/body.js'
import { requireScopes } from '../middleware/session.js'

export const listQuery = z.object({
  state: fields.oneOf(ORDER_STATES).optional(),
  limit: fields
    .integer()
    .refine((limit) => limit >= 1 && limit <= 1000, 'Must be between 1 and 1000.')
    .default(100),
})
export const settleBody = z
  .strictObject({
    outcome: fields.oneOf(['accepted', 'rejected']),
    orderid: fields.text(100).optional(),
    reason: fields.text(500),
  })
  .refine((body) => body.outcome === 'rejected' || body.orderid, {
    path: ['orderid'],
    message: 'Missing data for required field.',
  })

/** The order journal: what was sent, what is in doubt, and a person's verdict on the latter. */
export function journalRoutes(parts: { journal: OrderJournal; reconciler: Reconciler }): Hono<AppEnv> {
  const { journal, reconciler } = parts
  const own = async (username: string, orderRef: string) => {
    const row = await journal.find(orderRef)
    if (row?.userId !== username) throw new ServiceError('not_found', `Order ${orderRef} not found`)
    return row
  }
  return new Hono<AppEnv>()
    .use('*', requireScopes('read', 'orders'))
    .get('/', async (c) => {
      const { state, limit } = parseWith(listQuery, c.req.query())
      const rows = await journal.list(c.get('principal').username, limit, state)
      return c.json({ status: 'success', data: rows.map(journalView) })
    })
    .get('/:ref', async (c) => {
      const row = await own(c.get('principal').username, c.req.param('ref'))
      const events = (await journal.events(row.orderRef)).map((event) => ({
        at: new Date(event.at).toISOString(),
        from: event.fromState,
        to: event.toState,
        detail: event.detail,
      }))
      return c.json({ status: 'success', data: { ...journalView(row), events } })
    })
    .post('/:ref/settle', async (c) => {
      const { outcome, orderid, reason } = parseWith(settleBody, await readJson(c))
      const { username } = c.get('principal')
      const row = await own(username, c.req.param('ref'))
      const orderId = orderid === undefined ? {} : { orderId: orderid }
      await reconciler.settle(row.orderRef, outcome, { ...orderId, reason, by: username })
      return c.json({ status: 'success', message: `Order ${row.orderRef} settled as ${outcome}` })
    })
}
