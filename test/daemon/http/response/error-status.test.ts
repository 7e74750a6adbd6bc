import { expect, test } from 'vitest'
import { BrokerError, type BrokerErrorKind } from '../../../../src/core/brokers/broker.js'
import { brokerFailure } from '../../../../src/core/brokers/index.js'
import { type ErrorFacts, ServiceError } from '../../../../src/core/errors/index.js'
import { errorStatusOf, HttpRefusal } from '../../../../src/daemon/http/response/error-status.js'
import { KiteDesk } from '../../../support/desk/kite-desk.js'

test.each<[ErrorFacts, number]>([
  [{ code: 'validation' }, 400],
  [{ code: 'kill_switch' }, 403],
  [{ code: 'outcome_unknown' }, 504],
  [{ code: 'storage_full' }, 507],
  [{ code: 'unavailable' }, 503],
  [{ code: 'unavailable', reason: 'no_price' }, 500],
  [{ code: 'not_found' }, 404],
  [{ code: 'not_found', reason: 'no_api_key' }, 500],
  [{ code: 'broker_protocol' }, 502],
  [{ code: 'broker_protocol', reason: 'message_refused' }, 500],
  [{ code: 'broker_rejected', reason: 'broker_refused', brokerStatus: 422 }, 422],
  [{ code: 'broker_rejected', brokerStatus: 200 }, 500],
  [{ code: 'broker_rejected', brokerStatus: 600 }, 500],
])('the status of %j is %i', (facts, status) => {
  expect(errorStatusOf(facts)).toBe(status)
})

test('an error keeps its facts, and a refusal of the HTTP layer its own status', () => {
  expect(errorStatusOf(new ServiceError('unavailable', 'No price', { reason: 'no_price' }))).toBe(500)
  expect(errorStatusOf(new HttpRefusal('forbidden', 'CSRF validation failed', 400))).toBe(400)
})

test.each<[BrokerErrorKind, ConstructorParameters<typeof BrokerError>[2], number]>([
  ['rejected', { sent: 'yes', brokerStatus: 422 }, 422],
  ['validation', { sent: 'never', brokerStatus: 503 }, 503],
  ['rejected', { sent: 'yes' }, 500],
  ['auth', { sent: 'yes' }, 500],
  ['rejected', { sent: 'yes', brokerStatus: 200 }, 500],
  ['unavailable', { sent: 'maybe', brokerCode: 'GeneralException' }, 500],
  ['auth', { sent: 'never' }, 401],
  ['permission', { sent: 'never' }, 403],
  ['ip_not_allowed', { sent: 'yes', brokerStatus: 403 }, 403],
  ['rate_limit', { sent: 'never' }, 429],
  ['rejected', { sent: 'never' }, 400],
  ['validation', { sent: 'never' }, 400],
  ['not_found', { sent: 'never' }, 404],
  ['unsupported', { sent: 'never' }, 501],
  ['unavailable', { sent: 'maybe' }, 503],
  ['network', { sent: 'maybe' }, 500],
  ['protocol', { sent: 'maybe' }, 502],
])("a broker's error of kind %s with %j has the status %i", (kind, details, status) => {
  const failure = brokerFailure(new BrokerError(kind, 'text', details))
  if (!(failure instanceof ServiceError)) throw failure
  expect(failure.message).toBe('text')
  expect(errorStatusOf(failure)).toBe(status)
})

test("an order that Kite refuses with status 200 gets status 500 and Kite's text", async () => {
  const kite = await KiteDesk.start()
  const desk = await kite.desk()
  kite.fake.script.set({ route: 'place', actions: ['reject_200:MarginException:Insufficient funds'] })
  const order = { symbol: 'INFY', exchange: 'NSE', pricetype: 'LIMIT', price: 1400 } as const
  const answer = await desk.settled(desk.place(order))
  expect(answer).toMatchObject({
    status: 500,
    code: 'broker_rejected',
    body: { message: 'Insufficient funds' },
  })
  expect(await desk.service.journal.find(answer.orderRef ?? '')).toMatchObject({ state: 'rejected' })
})
