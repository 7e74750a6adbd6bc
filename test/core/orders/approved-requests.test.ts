import { describe, expect, test } from 'vitest'
import type { FaultRule } from '../../../src/core/brokers/simulated/index.js'
import type { Answer, OrderPath } from '../../../src/core/orders/index.js'
import { payloadOf, TestDesk, USER } from '../../support/desk.js'

const CONTEXT = { userId: USER, source: 'api' as const }
const { underlying_ltp: _ltp, strategy: _strategy, ...LINE } = payloadOf()
const OPTION = {
  offset: 'ATM',
  option_type: 'CE' as const,
  action: 'BUY' as const,
  quantity: 65,
  splitsize: 0,
  pricetype: 'MARKET' as const,
  product: 'NRML' as const,
  price: 0,
  trigger_price: 0,
  disclosed_quantity: 0,
}
const UNDERLYING = {
  strategy: 't',
  underlying: 'NIFTY',
  exchange: 'NSE_INDEX' as const,
  expiry_date: '24NOV26',
}
const GTT = {
  strategy: 't',
  trigger_type: 'SINGLE' as const,
  exchange: 'NSE' as const,
  symbol: 'SBIN',
  action: 'BUY' as const,
  product: 'CNC' as const,
  quantity: 5,
  pricetype: 'LIMIT' as const,
  price: 690,
  triggerprice_sl: 700,
  triggerprice_tg: null,
  stoploss: null,
  target: null,
  expires_at: null,
  trigger_price: 700,
}

interface Kind {
  apiType: string
  submit(orders: OrderPath): Promise<Answer>
  /** Orders, or triggers, an approval makes of it. */
  orders: number
  status: 'complete' | 'open'
}

/** The types that can be queued, beside placeorder itself. */
const KINDS: readonly Kind[] = [
  {
    apiType: 'smartorder',
    submit: ({ composites }) => composites.smart({ ...LINE, strategy: 't', position_size: 20 }, CONTEXT),
    orders: 1,
    status: 'complete',
  },
  {
    apiType: 'basketorder',
    submit: ({ composites }) => composites.basket({ strategy: 't', orders: [LINE, LINE] }, CONTEXT),
    orders: 2,
    status: 'complete',
  },
  {
    apiType: 'splitorder',
    submit: ({ composites }) =>
      composites.split({ ...LINE, strategy: 't', quantity: 30, splitsize: 15 }, CONTEXT),
    orders: 2,
    status: 'complete',
  },
  {
    apiType: 'optionsorder',
    submit: ({ composites }) => composites.options({ ...UNDERLYING, ...OPTION }, CONTEXT),
    orders: 1,
    status: 'complete',
  },
  {
    apiType: 'optionsmultiorder',
    submit: ({ composites }) =>
      composites.optionsMulti(
        { ...UNDERLYING, legs: [OPTION, { ...OPTION, offset: 'OTM1', quantity: 130, splitsize: 65 }] },
        CONTEXT,
      ),
    orders: 3,
    status: 'complete',
  },
  {
    apiType: 'placegttorder',
    submit: ({ gtts }) => gtts.place(GTT, CONTEXT),
    orders: 1,
    status: 'open',
  },
]

async function queue(desk: TestDesk, kind: Kind): Promise<number> {
  await desk.service.identity.apiKeys.setOrderMode(USER, 'semi_auto')
  const { body } = await kind.submit(desk.service.orders)
  return Number(body.pending_order_id)
}

const approve = (desk: TestDesk, id: number) => desk.settled(desk.service.approvals.approve(USER, id, USER))

describe.each(KINDS)('an approved $apiType', (kind) => {
  test.each(['live', 'analyze'] as const)('is executed once, past the queue (%s)', async (mode) => {
    const desk = await TestDesk.open()
    if (mode === 'analyze') await desk.service.sandbox.start()
    await desk.service.settings.setAnalyzeMode(mode === 'analyze')
    const id = await queue(desk, kind)
    expect(await desk.ledger()).toEqual([])
    const outcome = await approve(desk, id)
    expect(outcome).toMatchObject({ outcome: 'executed', brokerOrderId: expect.any(String) })
    const row = await desk.service.approvals.view(USER, id)
    expect(row).toMatchObject({ status: 'approved', execution: 'done', broker_status: kind.status })
    expect(row.broker_order_id?.split(',')).toHaveLength(kind.orders)
    const arrived = kind.apiType === 'placegttorder' || mode === 'analyze' ? 0 : kind.orders
    expect(await desk.ledger()).toHaveLength(arrived)
    const rows = await desk.service.journal.list(USER, 100)
    expect(rows).toHaveLength(kind.orders)
    expect(rows.every(({ source, approvalId }) => source === 'approval' && approvalId === id)).toBe(true)
  })

  test('meets the gate of now: with trading stopped it stays pending', async () => {
    const desk = await TestDesk.open()
    const id = await queue(desk, kind)
    await desk.service.risk.setKillSwitch(true, 'news', USER)
    await expect(approve(desk, id)).rejects.toMatchObject({ code: 'kill_switch' })
    expect(desk.service.approvals.count(USER)).toBe(1)
    expect(await desk.ledger()).toEqual([])
    expect(await desk.service.journal.list(USER, 10)).toEqual([])
  })

  test('that was claimed and not carried out is closed as not sent at the next start', async () => {
    const first = await TestDesk.open()
    const id = await queue(first, kind)
    const row = (await first.service.approvals.list(USER, { status: 'pending' })).orders[0]
    const order = { id, userId: USER, apiType: kind.apiType, payload: row?.raw_order_data ?? {} }
    const database = first.service.databases.svc
    await database.write(async (tx) => {
      const ref = await first.service.executor.begin(tx, order)
      await tx.exec(
        `update pending_orders set status = 'approved', execution = 'executing', execution_ref = ? where id = ?`,
        [ref, id],
      )
    })
    await first.close()
    const second = await TestDesk.open({ home: first.home, clock: first.clock })
    expect(await second.service.approvals.view(USER, id)).toMatchObject({
      status: 'approved',
      execution: 'failed',
      broker_status: 'rejected',
    })
    expect(await second.ledger()).toEqual([])
  })
})

describe('an approved request of several orders', () => {
  const KIND = KINDS[1] as Kind
  const fault = (rest: Partial<FaultRule>): FaultRule => ({ on: ['place'], kind: 'fail', ...rest })

  test('of which one failed is open, with the ids of the others', async () => {
    const desk = await TestDesk.open()
    const id = await queue(desk, KIND)
    desk.service.simulated.setFaults([fault({ times: 1, httpStatus: 400 })])
    expect(await approve(desk, id)).toMatchObject({ outcome: 'executed' })
    const row = await desk.service.approvals.view(USER, id)
    expect(row.broker_order_id?.split(',')).toHaveLength(1)
  })

  test('of which all failed is a failure', async () => {
    const desk = await TestDesk.open()
    const id = await queue(desk, KIND)
    desk.service.simulated.setFaults([fault({ httpStatus: 400 })])
    expect(await approve(desk, id)).toMatchObject({
      outcome: 'failed',
      httpStatus: 502,
      error: 'No child orders were submitted successfully',
    })
    expect(await desk.service.approvals.view(USER, id)).toMatchObject({ broker_status: 'rejected' })
  })

  test('stays in doubt while one of them is, and is settled with it', async () => {
    const desk = await TestDesk.open()
    const id = await queue(desk, KIND)
    desk.service.simulated.setFaults([fault({ kind: 'lose_answer', times: 1 })])
    desk.service.simulated.dropConnections('orders')
    // The search for orders in doubt runs on the clock: it stands still here.
    expect(await desk.service.approvals.approve(USER, id, USER)).toMatchObject({ outcome: 'unknown' })
    expect(await desk.service.approvals.view(USER, id)).toMatchObject({ execution: 'in_doubt' })
    await desk.clock.advance(500)
    await desk.service.reconciler.searchNow()
    const row = await desk.service.approvals.view(USER, id)
    expect(row).toMatchObject({ execution: 'done' })
    expect(row.broker_order_id?.split(',')).toHaveLength(2)
    expect(await desk.ledger()).toHaveLength(2)
  })
})

test('an approved smart order whose position is already there is done, without an order', async () => {
  const desk = await TestDesk.open()
  await desk.service.orders.composites.smart({ ...LINE, strategy: 't', position_size: 20 }, CONTEXT)
  const id = await queue(desk, KINDS[0] as Kind)
  expect(await approve(desk, id)).toMatchObject({ outcome: 'executed', brokerOrderId: null })
  expect(await desk.ledger()).toHaveLength(1)
})
