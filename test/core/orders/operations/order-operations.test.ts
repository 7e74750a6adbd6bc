import { expect, test } from 'vitest'
import type { PlaceContext } from '../../../../src/core/orders/index.js'
import { ORDER_OPERATIONS, orderOperation } from '../../../../src/core/orders/operations/order-operations.js'
import { TestDesk, USER } from '../../../support/desk/desk.js'

const rows = Object.entries(ORDER_OPERATIONS)

test('in semi-auto mode every operation either waits for a person or is refused', () => {
  expect(rows.filter(([, row]) => row.queueable === 'blocked' in row)).toEqual([])
})

test('an operation is found by its name and by its name in the approval queue, in any case of letters', () => {
  for (const [name, row] of rows) {
    const queued = 'queuedAs' in row ? row.queuedAs : name
    for (const text of [name, queued, name.toUpperCase()]) expect(orderOperation(text), text).toBe(row)
  }
  expect(orderOperation('orderbook')).toBeUndefined()
  // The members of an object are no operations.
  expect(orderOperation('constructor')).toBeUndefined()
})

type Source = PlaceContext['source']

/** The status of the answer to a live cancellation in semi-auto mode, by source. */
const SOURCES: Readonly<Record<Source, number>> = {
  api: 403,
  flow: 403,
  strategy: 403,
  approval: 403,
  mcp: 403,
}

test.each(Object.entries(SOURCES))(
  'in semi-auto mode a change that comes from "%s" is answered with %i',
  async (source, status) => {
    const desk = await TestDesk.open()
    const { orderid } = (await desk.place({ pricetype: 'LIMIT', price: 700 })).body
    await desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
    const context = { userId: USER, source: source as Source }
    const answer = await desk.orders.changes.cancel({ strategy: 't', orderid: String(orderid) }, context)
    expect(answer.status).toBe(status)
  },
)
