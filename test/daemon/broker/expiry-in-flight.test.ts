import { expect, test } from 'vitest'
import { signInToBroker } from '../../../src/daemon/broker/instrument-loading.js'
import { FakeDesk } from '../../support/desk/fake-desk.js'
import { eventually } from '../../support/eventually.js'
import { FAKE_BROKERS } from '../../support/process/fake-brokers.js'

const ORDER = { symbol: 'INFY', exchange: 'NSE', product: 'MIS', quantity: 1 } as const

/** The last minutes of a session at each broker whose sessions end at an hour, and whether it begins a new one by itself. */
const LAST_MINUTES = [
  { id: 'angel', at: '2026-11-20T23:40:00+05:30', renews: true },
  { id: 'upstox', at: '2026-11-20T03:10:00+05:30', renews: false },
  { id: 'zerodha', at: '2026-11-20T05:40:00+05:30', renews: false },
] as const

test.each(LAST_MINUTES)(
  'an order on its way when the session at $id ends has its answer, is sent once, and its fill is known',
  async ({ at, id, renews }) => {
    const broker = await FakeDesk.start(id, at)
    const desk = await broker.desk()
    const { brokers, journal } = desk.service
    const endsAt = Number(brokers.session?.expiresAt)
    expect(endsAt - desk.clock.now()).toBeLessThan(30 * 60_000)
    await desk.clock.advance(endsAt - desk.clock.now() - 1_000)

    broker.fake.script.set({ route: 'place', actions: ['slow:4000'] })
    const sent = desk.settled(desk.place(ORDER))
    await eventually(() => broker.fake.placed().length === 1)
    const { code, orderRef = '' } = await sent
    expect(desk.clock.now()).toBeGreaterThan(endsAt)
    expect(code).toBe('ok')

    const state = () => brokers.sessionStatus().state
    if (renews) await desk.settled(eventually(() => state() === 'signed_in'))
    else {
      expect(state()).toBe('expired')
      await expect(desk.settled(desk.place(ORDER))).rejects.toMatchObject({ code: 'forbidden' })
      const { fields } = FAKE_BROKERS[id]
      await desk.settled(signInToBroker(desk.service, { ...fields }).catch(() => undefined))
    }
    expect(await journal.find(orderRef)).toMatchObject({ broker: id, settledBy: null })
    await desk.clock.advance(1_000)
    expect(broker.fake.placed()).toHaveLength(1)
    if (renews)
      await desk.settled(
        eventually(async () => (await journal.find(orderRef))?.state === 'filled', 'the fill is known'),
      )
  },
)
