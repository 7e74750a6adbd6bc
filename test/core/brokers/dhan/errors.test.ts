import { describe, expect, test } from 'vitest'
import { OUTCOMES } from '../../../../src/core/brokers/dhan/errors.js'
import { errorOfAnswer } from '../../../../src/core/brokers/kit/http/outcomes.js'
import { orderOf, startRig } from './rig.js'

/** status, code (undefined: a body that is not Dhan's), kind, sent */
type Case = [number, string | undefined, string, string]

const CASES: Case[] = [
  [401, 'DH-901', 'auth', 'yes'],
  [403, 'DH-902', 'permission', 'yes'],
  [403, 'DH-903', 'permission', 'yes'],
  [429, 'DH-904', 'rate_limit', 'yes'],
  [400, 'DH-904', 'rate_limit', 'yes'],
  [400, 'DH-905', 'validation', 'yes'],
  [400, 'DH-906', 'rejected', 'yes'],
  [400, 'DH-907', 'not_found', 'yes'],
  [400, 'DH-908', 'unavailable', 'maybe'],
  [400, 'DH-909', 'unavailable', 'maybe'],
  [400, 'DH-910', 'rejected', 'yes'],
  [400, 'DH-999', 'rejected', 'maybe'],
  [400, 'constructor', 'rejected', 'maybe'],
  // A 5xx proves nothing, whatever its body says.
  [500, 'DH-906', 'rejected', 'maybe'],
  [500, 'DH-910', 'rejected', 'maybe'],
  [503, 'DH-909', 'unavailable', 'maybe'],
  [503, undefined, 'unavailable', 'maybe'],
  [400, undefined, 'rejected', 'maybe'],
  [301, undefined, 'protocol', 'maybe'],
  [429, undefined, 'rate_limit', 'yes'],
  // Data calls, also with status 200.
  [200, '800', 'unavailable', 'maybe'],
  [200, '804', 'validation', 'yes'],
  [200, '805', 'rate_limit', 'yes'],
  [200, '806', 'permission', 'yes'],
  [200, '807', 'auth', 'yes'],
  [200, '808', 'auth', 'yes'],
  [200, '809', 'auth', 'yes'],
  [200, '810', 'auth', 'yes'],
  [400, '811', 'validation', 'yes'],
  [400, '814', 'validation', 'yes'],
  [200, 'DH-906', 'rejected', 'yes'],
]

test.each(CASES)('%i %s is %s, sent %s', (status, code, kind, sent) => {
  const refusal = code ? { message: 'why', code } : undefined
  expect(errorOfAnswer(OUTCOMES, { call: 'POST /x', status, refusal })).toMatchObject({ kind, sent })
})

test.each([
  ['DH-905', 'The static IP 203.0.113.7 is not registered', 'ip_not_allowed'],
  ['DH-902', 'Invalid IP', 'ip_not_allowed'],
  ['DH-906', 'Order not found', 'not_found'],
  ['DH-906', 'The SHIP is no order', 'rejected'],
  ['DH-901', 'The token of this IP has expired', 'auth'],
])('%s "%s" is %s', (code, message, kind) => {
  expect(errorOfAnswer(OUTCOMES, { call: 'x', status: 400, refusal: { code, message } }).kind).toBe(kind)
})

describe('an error inside a success', () => {
  test.each([
    ['reject_200:DH-906:RMS: no margin', { kind: 'rejected', sent: 'yes', message: 'RMS: no margin' }],
    ['reject_200:DH-908:try later', { kind: 'unavailable', sent: 'maybe' }],
    ['reject_200:805:too many', { kind: 'rate_limit', sent: 'yes' }],
    ['429', { kind: 'rate_limit', sent: 'yes', retryAfterMs: 1000 }],
  ])('%s is what its code says', async (action, expected) => {
    const { client, close, fake } = await startRig()
    fake.script.set({ route: 'place', actions: [action] })
    await expect(client.orders.place(orderOf(), 'a1')).rejects.toMatchObject(expected)
    expect(fake.ledger.placed).toEqual([])
    await close()
  })
})
