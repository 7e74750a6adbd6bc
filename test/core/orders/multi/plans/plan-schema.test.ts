import { expect, test } from 'vitest'
import type { StoredPlan } from '../../../../../src/core/orders/multi/plans/plan.js'
import { readExecutionPlan } from '../../../../../src/core/orders/multi/plans/plan-schema.js'
import type { OrderPayload } from '../../../../../src/core/orders/schema.js'

/** An order with every member that an order can have. */
const ORDER: Required<OrderPayload> = {
  strategy: 's',
  exchange: 'NSE',
  symbol: 'SBIN',
  action: 'BUY',
  quantity: 100,
  pricetype: 'LIMIT',
  product: 'MIS',
  price: 800,
  trigger_price: 0,
  disclosed_quantity: 10,
  underlying_ltp: 801,
  validity: 'IOC',
  validity_ttl: 5,
  amo: true,
  iceberg_legs: 2,
  market_protection: -1,
  algo_id: 'A1',
}

const PLAN: Required<StoredPlan> = {
  plan: {
    shape: 'list',
    head: { mode: 'analyze' },
    legs: [
      {
        name: 'SBIN',
        shown: { order_num: 1 },
        problem: 'none',
        orders: [{ shown: { part: 1 }, order: ORDER, opens: true, closes: true }],
        split: { total_quantity: 100, split_size: 50 },
        inPieces: true,
      },
    ],
  },
  pacing: { waves: [[0]], pauseMs: 100, perPause: 10 },
  gated: true,
  resumable: true,
  finishes: true,
  orderIds: ['S1'],
}

test('a plan that is read again has every member: what a stop left unsent goes with its instructions', () => {
  expect(readExecutionPlan(JSON.stringify(PLAN))).toEqual(PLAN)
})
