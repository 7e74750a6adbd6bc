import { expect, test } from 'vitest'
import type { PlaceOrderPayload } from '../../../src/core/orders/schema.js'
import { useBroker } from '../../../src/daemon/broker/instrument-loading.js'
import { type TestDesk, USER } from '../../support/desk/desk.js'
import { FakeDesk } from '../../support/desk/fake-desk.js'

const INFY = { symbol: 'INFY', exchange: 'NSE', product: 'MIS', quantity: 1 } as const
/** Listed at the fake brokers alone. */
const FUTURE = { symbol: 'NIFTY29JAN30FUT', exchange: 'NFO', product: 'NRML', quantity: 75 } as const

async function queued(desk: TestDesk, order: Partial<PlaceOrderPayload>): Promise<number> {
  const { body } = await desk.settled(desk.place(order))
  return Number(body.pending_order_id)
}

const approve = (desk: TestDesk, id: number) => desk.settled(desk.service.approvals.approve(USER, id, USER))

test.each(['zerodha', 'upstox', 'angel', 'dhan'] as const)(
  'an order that waits for approval at %s goes to the broker of the approval, or nowhere',
  async (id) => {
    const broker = await FakeDesk.start(id)
    const desk = await broker.desk()
    await desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
    const share = await queued(desk, INFY)
    const future = await queued(desk, FUTURE)
    expect(desk.service.approvals.count(USER)).toBe(2)

    await desk.settled(useBroker(desk.service, 'simulated'))
    expect(await approve(desk, share)).toMatchObject({ outcome: 'executed' })
    expect(await approve(desk, future)).toMatchObject({ outcome: 'failed' })
    expect(await desk.ledger()).toMatchObject([{ quantity: 1 }])
    expect(broker.fake.placed()).toEqual([])
    const rows = await desk.service.journal.list(USER, 10)
    const ends = rows.map(({ broker: at, state, symbol }) => [at, symbol, state].join(' ')).sort()
    expect(ends).toEqual(['simulated INFY filled', 'simulated NIFTY29JAN30FUT rejected'])
  },
)
