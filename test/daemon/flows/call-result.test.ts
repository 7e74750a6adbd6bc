import { describe, expect, it } from 'vitest'
import { ServiceError } from '../../../src/core/errors/index.js'
import type { OrderResult } from '../../../src/core/orders/index.js'
import { failedCall, orderCallResult } from '../../../src/daemon/flows/call-result.js'

const placed = { outcome: 'placed', orderId: '1' } as const
const refused = {
  outcome: 'refused',
  code: 'broker_rejected',
  message: 'No margin',
  brokerStatus: 422,
} as const

/** Returns the output as it is stored, so that the order of its members counts. */
const outputOf = (result: OrderResult) => JSON.stringify(orderCallResult(result).output)

describe('the output of an order call', () => {
  it('is the body of the answer when the call succeeds', () => {
    expect(outputOf(placed)).toBe('{"status":"success","orderid":"1"}')
  })

  it("has the message twice and the broker's status as its code when the call fails", () => {
    expect(outputOf(refused)).toBe('{"status":"error","message":"No margin","error":"No margin","code":422}')
  })

  it('keeps the members of an error after its message', () => {
    const error = new ServiceError('rate_limited', 'Slow down', {
      retryAfterSeconds: 2,
      extra: { mode: 'live' },
    })
    expect(JSON.stringify(failedCall(error).output)).toBe(
      '{"status":"error","message":"Slow down","retry_after":2,"mode":"live","error":"Slow down","code":429}',
    )
  })
})

describe('the typed part of an order call', () => {
  it('lists the parts and the ids of a request of several orders', () => {
    const split = { total_quantity: 20, split_size: 10 }
    const part = (result: typeof placed | typeof refused) => ({ shown: { status: 'shown' }, result })
    const legs = [
      { shown: {}, orders: [part(placed)] },
      { shown: {}, orders: [part(refused)] },
      { shown: {}, problem: 'No such strike', orders: [] },
      { shown: {}, split, orders: [part(refused), part({ ...placed })] },
    ]
    expect(orderCallResult({ outcome: 'executed', orderRef: 'B1', legs })).toMatchObject({
      ok: true,
      code: 'ok',
      message: '',
      orderRef: 'B1',
      orderIds: ['1', '1'],
      parts: [
        { ok: true },
        { ok: false, message: 'No margin' },
        { ok: false, message: 'No such strike' },
        { ok: true },
      ],
    })
  })
})
