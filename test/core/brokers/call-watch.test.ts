import { expect, test, vi } from 'vitest'
import { BrokerError } from '../../../src/core/brokers/broker.js'
import type { FaultRule } from '../../../src/core/brokers/simulated/index.js'
import { TestDesk } from '../../support/desk/desk.js'

const SBIN = [{ symbol: 'SBIN', exchange: 'NSE' }]

test('the last failed call and the begin of the outage are known, and the message names the broker', async () => {
  const desk = await TestDesk.open()
  const { brokers } = desk.service
  const ask = async (rule?: FaultRule) => {
    brokers.plugins.faults().set(rule ? [rule] : [])
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

test('a change that is half done because the session was refused ends the session, and keeps its words', async () => {
  const desk = await TestDesk.open()
  const { brokers } = desk.service
  const { gtts } = brokers.client()
  if (!gtts) throw new Error('the broker keeps no GTTs')
  const cause = new BrokerError('auth', 'The token is invalid', { sent: 'yes' })
  const half = new BrokerError('auth', 'It is changed in part', { sent: 'maybe', isHalfDone: true, cause })
  vi.spyOn(gtts, 'cancel').mockRejectedValue(half)
  await expect(gtts.cancel('1')).rejects.toBe(half)
  expect(brokers.sessionStatus()).toMatchObject({ state: 'refused' })
})
