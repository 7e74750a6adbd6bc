import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { journalView, ORDER_STATES } from '../../../core/orders/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import { journalFields } from '../account/book-schemas.js'
import type { ActRequest } from '../audit-facts.js'
import { amount, count, instant, messageOnly, ok, text } from '../common/answers.js'
import { control, json, nextPage, nullableText, ofHistory, page } from './control-facts.js'

const REF = { ref: 'The reference of an order, from X-Order-Ref or order_ref.' }

/** The highest believable price of a fill. */
const MAX_PRICE = 1_000_000_000
const MISSING = 'Missing data for required field.'
const journalQuery = z.object({
  state: fields.oneOf(ORDER_STATES).optional(),
  ...ofHistory,
  ...page,
})
const settlePayload = z
  .strictObject({
    outcome: fields.oneOf(['accepted', 'rejected', 'filled']),
    orderid: fields.text(100).optional(),
    /** The filled quantity and its average price. */
    quantity: fields
      .integer()
      .refine((value) => value > 0, 'Must be greater than 0.')
      .optional(),
    price: fields
      .number()
      .refine((value) => value > 0 && value <= MAX_PRICE, `Must be greater than 0 and at most ${MAX_PRICE}.`)
      .optional(),
    reason: fields.text(500),
    force: z.boolean({ error: 'Not a valid boolean.' }).optional(),
  })
  .refine(({ outcome, orderid }) => outcome !== 'accepted' || orderid, {
    path: ['orderid'],
    message: MISSING,
  })
  .refine(({ outcome, price }) => outcome !== 'filled' || price !== undefined, {
    path: ['price'],
    message: MISSING,
  })
  .refine(({ outcome, price }) => outcome === 'filled' || price === undefined, {
    path: ['price'],
    message: 'Only an order that filled has a price.',
  })
  .refine(({ outcome, quantity }) => outcome === 'filled' || quantity === undefined, {
    path: ['quantity'],
    message: 'Only an order that filled has a quantity.',
  })

const journalRow = z.strictObject(journalFields)
const journalList = ok({ data: z.array(journalRow), next_before: nextPage })
const journalEntry = ok({
  data: z.strictObject({
    ...journalFields,
    events: z.array(z.strictObject({ at: instant, from: nullableText, to: text, detail: nullableText })),
    candidates: z
      .array(
        z.strictObject({
          id: text,
          status: text,
          filled_quantity: amount,
          price: amount,
          placed_at: instant.nullable(),
        }),
      )
      .meta({ description: 'What an order in doubt may be at the broker, found by its content.' }),
    absence: z
      .strictObject({ readings: count, first_at: instant, last_at: instant })
      .nullable()
      .meta({ description: 'The readings after the close of its session that did not show the order.' }),
  }),
})

/** The order journal: its orders, and the word of a person on an order whose end nobody knows. */
export const JOURNAL_OPERATIONS = {
  'GET /orders/journal': control('Lists the journalled orders, newest first.', {
    scopes: ['read', 'orders'],
    query: journalQuery,
    example: { state: 'unknown' },
    answer: journalList,
    errors: ['validation'],
    run: async ({ journal }, { query: { limit, ...query } }, { username }) => {
      const rows = await journal.list(username, limit + 1, query)
      const page = rows.slice(0, limit)
      const next = rows.length > limit ? page.at(-1)?.orderRef : undefined
      return { status: 'success', data: page.map(journalView), next_before: next ?? null }
    },
  }),
  'GET /orders/journal/:ref': control('Returns one journalled order with its history.', {
    scopes: ['read', 'orders'],
    params: REF,
    answer: journalEntry,
    errors: ['not_found'],
    run: async (service, { params: { ref } }, { username }) => {
      const row = await ownOrder(service, username, ref)
      const events = (await service.journal.events(row.orderRef)).map((event) => ({
        at: new Date(event.at).toISOString(),
        from: event.fromState,
        to: event.toState,
        detail: event.detail,
      }))
      const { absence, candidates } = await service.reconciler.evidenceOn(row)
      const data = {
        ...journalView(row),
        events,
        candidates: candidates.map(({ filled, id, placedAt, price, status }) => ({
          id,
          status,
          filled_quantity: filled,
          price,
          placed_at: placedAt === null ? null : new Date(placedAt).toISOString(),
        })),
        absence: absence
          ? {
              readings: absence.readings,
              first_at: new Date(absence.firstAt).toISOString(),
              last_at: new Date(absence.lastAt).toISOString(),
            }
          : null,
      }
      return { status: 'success', data }
    },
  }),
  'POST /orders/journal/:ref/settle': control('Records how an order in doubt or a lapsed order ended.', {
    live: 'change',
    scopes: ['orders'],
    params: REF,
    body: settlePayload,
    example: { outcome: 'rejected', reason: 'Not in the book of the broker' },
    answer: messageOnly,
    errors: ['not_found', 'conflict', ...json],
    audit: { act: 'order.settle', values: journalledValues, ofTarget: true },
    run: async (service, { params: { ref }, body }, { username }) => {
      const { outcome, orderid: orderId, ...rest } = body
      const row = await ownOrder(service, username, ref)
      await service.reconciler.settle(row.orderRef, { outcome, orderId, ...rest, by: username })
      return { status: 'success', message: `Order ${row.orderRef} settled as ${outcome}` }
    },
  }),
}

/** Returns an order of a user, by its reference or its id at the active broker. */
async function ownOrder({ brokers, journal }: RunningService, username: string, orderRef: string) {
  const row = (await journal.find(orderRef)) ?? (await journal.findByOrderId(brokers.brokerId, orderRef))
  if (row?.userId !== username) throw new ServiceError('not_found', `Order ${orderRef} not found`)
  return row
}

async function journalledValues({ service, params }: ActRequest<RunningService>) {
  const order = await service.journal.find(params.ref ?? '')
  return order && { state: order.state, order_id: order.orderId, reason: order.reason }
}
