import { expect, test } from 'vitest'
import type { FaultRule } from '../../../src/core/brokers/simulated/index.js'
import { TestDesk } from '../../support/desk/desk.js'

const SBIN = [{ symbol: 'SBIN', exchange: 'NSE' }]

test('the last failed call and the begin of the outage are known, and the message names the broker', async () => {
  const desk = await TestDesk.open()
  const { brokers, simulated } = desk.service
  const ask = async (rule?: FaultRule) => {
    simulated.setFaults(rule ? [rule] : [])
    return brokers
      .client()
      .market.quotes(SBIN)
      .then(
        () => 'answered',
        (error: unknown) => String(error),
      )
  }
  expect([await ask(), brokers.failedCall]).toEqual(['answered', undefined])

  const since = desk.clock.now()
  const refused = await ask({ kind: 'refuse_connection', message: 'ECONNREFUSED' })
  expect(refused).toBe('BrokerError: Simulated exchange cannot be reached (ECONNREFUSED)')
  await desk.clock.advance(60_000)
  const at = desk.clock.now()
  await ask({ kind: 'lose_answer', message: 'no answer within 5000 ms' })
  const message = 'Simulated exchange did not answer (no answer within 5000 ms)'
  expect(brokers.failedCall).toEqual({ call: 'market.quotes', message, at, failingSince: since })

  // A refusal is an answer of the broker, in its own words.
  expect(await ask({ kind: 'fail', httpStatus: 400, message: 'Bad symbol' })).toBe('BrokerError: Bad symbol')
  expect(brokers.failedCall).toMatchObject({ message, failingSince: since })
  expect(await ask()).toBe('answered')
  expect(brokers.failedCall).toEqual({ call: 'market.quotes', message, at, failingSince: undefined })
})
