import { expect, it } from 'vitest'
import { EventBus } from '../../../../src/core/events/index.js'
import type { EventTopics } from '../../../../src/core/events/topics.js'
import { type Alert, wireAlerts } from '../../../../src/core/notifications/alerts/subscribers.js'
import { eventually } from '../../../support/eventually.js'
import { recordingLogger } from '../../logging/recording-logger.js'

type Session = EventTopics['broker_session']

/** Returns the alert of the end of a session at the broker. */
async function alertOf(more: Partial<Session>): Promise<Alert> {
  const alerts: Alert[] = []
  const bus = new EventBus(recordingLogger())
  wireAlerts({
    bus,
    alert: (_user, alert) => alerts.push(alert),
    users: () => ['asha'],
    wants: () => true,
    pendingOrder: () => Promise.reject(new Error('not asked')),
  })
  bus.publish('broker_session', {
    broker: 'zerodha',
    state: 'expired',
    reason: 'It expired.',
    since: '2026-11-21T00:30:00.000Z',
    until: null,
    next_step: 'svc broker login',
    unprotected: [],
    ...more,
  })
  await eventually(() => alerts.length > 0)
  const [first] = alerts
  if (first === undefined) throw new Error('no alert')
  return first
}

it.each([
  [
    'expires_soon',
    'svc broker login',
    'The session at zerodha ends soon: live orders, stops and exits of strategies too, are refused after that.',
    'Sign in again: svc broker login',
  ],
  [
    'ip_not_allowed',
    'register it',
    'The session at zerodha cannot send orders: the broker refuses the address of this machine, also for cancels, stops and exits of strategies.',
    'Next: register it',
  ],
] as const)('a session that is %s is told with what to do', async (state, next_step, effect, next) => {
  const { body } = await alertOf({ state, next_step, reason: 'Words.' })
  expect(body).toBe([effect, 'Words.', next].join('\n'))
})

it('the end of a session names the positions that nothing protects', async () => {
  expect(
    (await alertOf({ unprotected: ['pair: BUY 10 NSE:SBIN MIS', 'two: SELL 5 NSE:TCS MIS'] })).body,
  ).toBe(
    [
      'The session at zerodha has ended: live orders are refused until you sign in.',
      'It expired.',
      'UNPROTECTED until then, without stop or exit:',
      'pair: BUY 10 NSE:SBIN MIS',
      'two: SELL 5 NSE:TCS MIS',
      'Sign in: svc broker login',
    ].join('\n'),
  )
})

it('a sign-out or a change of the broker is told if it leaves positions that nothing protects', async () => {
  const left = { state: 'signed_out', reason: null, next_step: 'svc broker use zerodha' } as const
  expect((await alertOf({ ...left, unprotected: ['pair: BUY 10 NSE:SBIN MIS'] })).body).toBe(
    [
      'The session at zerodha has ended: a person signed out, or chose another broker.',
      'UNPROTECTED until then, without stop or exit:',
      'pair: BUY 10 NSE:SBIN MIS',
      'Go back: svc broker use zerodha',
    ].join('\n'),
  )
})

it('without such a position it says nothing of protection', async () => {
  expect((await alertOf({ reason: null })).body).toBe(
    'The session at zerodha has ended: live orders are refused until you sign in.\nSign in: svc broker login',
  )
})
