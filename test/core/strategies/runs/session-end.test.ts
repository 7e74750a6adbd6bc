import { describe, expect, test, vi } from 'vitest'
import { BrokerError } from '../../../../src/core/brokers/broker.js'
import { seconds } from './account/account-rig.js'
import { PAIR, RunRig } from './run-rig.js'

/* The session at the broker ends while a run holds a position with a stop. */

const REFUSED = new BrokerError('auth', 'Token is invalid', { sent: 'yes' })

/** A live run that holds 10 SBIN with a stop 5 below its entry. */
async function holding() {
  const rig = await RunRig.open('live')
  const leg = { segment: 'cash', position: 'B', lots: 10, sl_pts: 5 }
  const id = await rig.create({ ...PAIR, legs: [leg] }, true)
  await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
  await seconds(rig, 3)
  expect(await rig.orders()).toEqual(['1 entry BUY complete 10'])
  return { id, rig, ...actionsOf(rig) }
}

function actionsOf(rig: RunRig) {
  const { desk } = rig.rig
  const { brokers, hub } = desk.service
  return {
    /** The broker refuses the session in the answer to a call. */
    async endSession() {
      const { portfolio } = brokers.client()
      vi.spyOn(portfolio, 'positions').mockRejectedValueOnce(REFUSED)
      await rig.settled(portfolio.positions().catch(() => undefined))
      expect(brokers.sessionStatus().state).toBe('refused')
    },
    signIn: () => rig.settled(brokers.login({})),
    /** A price from the feed; without a session there is none. */
    price(ltp: number) {
      const at = rig.clock.now()
      const rest = {
        bid: ltp,
        ask: ltp,
        bidSize: 1,
        askSize: 1,
        open: ltp,
        high: ltp,
        low: ltp,
        prevClose: ltp,
      }
      const totals = {
        volume: 1,
        oi: 0,
        lastQuantity: 1,
        averagePrice: ltp,
        totalBuyQuantity: 1,
        totalSellQuantity: 1,
      }
      hub.publish({ symbol: 'SBIN', exchange: 'NSE', ltp, ...rest, ...totals, timestamp: at })
    },
    told: () =>
      desk.events.flatMap(({ payload, topic }) =>
        topic === 'strategy_event' && 'kind' in payload && payload.message.includes('Unprotected')
          ? [payload]
          : [],
      ),
    sessionEvents: () =>
      desk.events.flatMap(({ payload, topic }) => (topic === 'broker_session' ? [payload] : [])),
    exits: async () => (await rig.orders()).slice(1),
  }
}

describe('a session that ends while a run holds a position', () => {
  test('is told once, as a critical event of the run and in the event of the session', async () => {
    const { endSession, id, rig, sessionEvents, told } = await holding()
    await endSession()
    await seconds(rig, 5)
    const message =
      'The session at simulated has ended. Unprotected: BUY 10 NSE:SBIN MIS. No stop, target or exit is sent before the next one begins: svc broker login'
    expect(told()).toMatchObject([{ strategy_id: id, severity: 'critical', message }])
    expect(sessionEvents().at(-1)).toMatchObject({
      state: 'refused',
      unprotected: ['pair: BUY 10 NSE:SBIN MIS'],
    })
    expect(
      await rig.query(
        `select 1 from strategy_events where kind = 'tick_source_stale' and severity = 'critical'`,
      ),
    ).toHaveLength(1)
  })

  test('loses no stop: the first price of the next session fires it', async () => {
    const { endSession, exits, price, rig, signIn } = await holding()
    await endSession()
    await seconds(rig, 120)
    expect(await exits()).toEqual([])
    await signIn()
    price(1)
    await rig.ended()
    expect(await exits()).toEqual(['1 exit_sl SELL complete 10'])
    expect(await rig.brokerNet()).toBe(0)
  })

  test('loses no exit: one that the broker refuses with the session leaves at the sign-in', async () => {
    const { exits, price, rig, signIn, told } = await holding()
    const { brokers } = rig.rig.desk.service
    vi.spyOn(brokers.client().orders, 'place').mockRejectedValueOnce(REFUSED)
    price(1)
    await seconds(rig, 3)
    expect(brokers.connected()).toBe(false)
    expect(new Set(await exits())).toEqual(new Set(['1 exit_sl SELL rejected 0']))
    expect(told()).toHaveLength(1)
    await signIn()
    await rig.ended()
    expect((await exits()).at(-1)).toBe('1 exit_sl SELL complete 10')
    expect(await rig.brokerNet()).toBe(0)
  })

  test('loses no stop of a person: it closes the position at the sign-in', async () => {
    const { endSession, exits, id, rig, signIn } = await holding()
    await endSession()
    await rig.settled(rig.runs.stop(id, 'manual'))
    await seconds(rig, 60)
    expect(new Set(await exits())).toEqual(new Set(['1 exit_close_all SELL rejected 0']))
    expect(await rig.status(id)).toBe('running')
    await signIn()
    await rig.ended()
    expect((await exits()).at(-1)).toBe('1 exit_close_all SELL complete 10')
    expect(await rig.brokerNet()).toBe(0)
  })

  test('gives no position up meanwhile, and loses none over a restart', async () => {
    const { endSession, id, rig } = await holding()
    await endSession()
    await seconds(rig, 60)
    expect(rig.runs.active(id)?.claims).toMatchObject([{ quantity: 10 }])
    const again = await rig.reopen()
    expect(again.runs.active(id)?.claims).toMatchObject([{ quantity: 10 }])
    const { exits, price } = actionsOf(again)
    price(1)
    await again.ended()
    expect(await exits()).toEqual(['1 exit_sl SELL complete 10'])
  })

  test('and one whose address is refused names the positions, too', async () => {
    const { price, rig, sessionEvents } = await holding()
    const { brokers } = rig.rig.desk.service
    const words = 'IP (10.0.0.1) is not allowed to place orders for this app'
    const refusal = new BrokerError('ip_not_allowed', words, { sent: 'yes' })
    const place = vi.spyOn(brokers.client().orders, 'place').mockRejectedValue(refusal)
    price(1)
    await seconds(rig, 3)
    expect(sessionEvents().at(-1)).toMatchObject({
      state: 'ip_not_allowed',
      unprotected: ['pair: BUY 10 NSE:SBIN MIS'],
    })
    place.mockRestore()
  })

  test('so does the change to another broker, and what it means is told at once', async () => {
    const { id, rig, sessionEvents, told } = await holding()
    const { brokers } = rig.rig.desk.service
    await rig.settled(brokers.use('zerodha'))
    expect(told()).toMatchObject([
      { strategy_id: id, severity: 'critical', message: expect.stringContaining('svc broker use simulated') },
    ])
    expect(sessionEvents()).toMatchObject([
      {
        broker: 'simulated',
        state: 'signed_out',
        next_step: 'svc broker use simulated',
        unprotected: ['pair: BUY 10 NSE:SBIN MIS'],
      },
      { broker: 'zerodha', state: 'signed_out', unprotected: [] },
    ])
    await rig.settled(brokers.use('simulated'))
    expect(sessionEvents().at(-1)).toMatchObject({ broker: 'simulated', state: 'signed_in', unprotected: [] })
  })

  test('is no news of a run that holds nothing, or that is simulated', async () => {
    const rig = await RunRig.open('live')
    const id = await rig.create({ ...PAIR, legs: [{ segment: 'cash', position: 'B', lots: 10 }] }, true)
    await rig.settled(rig.runs.start(id, { mode: 'live', trigger: 'manual' }))
    await rig.settled(rig.runs.stop(id, 'manual'))
    await rig.ended()
    const { endSession, sessionEvents, told } = actionsOf(rig)
    await endSession()
    expect([told(), sessionEvents().at(-1)]).toMatchObject([[], { unprotected: [] }])
  })
})
