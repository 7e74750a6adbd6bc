import { expect, test } from 'vitest'
import { BrokerError, type BrokerErrorKind, brokerStatusOf } from '../../../src/core/brokers/broker.js'
import { brokerFailure } from '../../../src/core/brokers/index.js'
import { KiteDesk } from '../../support/desk/kite-desk.js'

test.each<[BrokerErrorKind, ConstructorParameters<typeof BrokerError>[2], number]>([
  ['rejected', { sent: 'yes', httpStatus: 422 }, 422],
  ['validation', { sent: 'never', httpStatus: 503 }, 503],
  ['rejected', { sent: 'yes' }, 500],
  ['auth', { sent: 'yes' }, 500],
  ['rejected', { sent: 'yes', httpStatus: 200 }, 500],
  ['unavailable', { sent: 'maybe', brokerCode: 'GeneralException' }, 500],
  ['validation', { sent: 'never' }, 400],
  ['unsupported', { sent: 'never' }, 501],
  ['network', { sent: 'maybe' }, 500],
  ['protocol', { sent: 'maybe' }, 502],
])('an error of kind %s with %j has the status %i', (kind, details, status) => {
  const error = new BrokerError(kind, 'text', details)
  expect(brokerStatusOf(error)).toBe(status)
  expect(brokerFailure(error)).toMatchObject({ brokerStatus: status, httpStatus: status, message: 'text' })
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
