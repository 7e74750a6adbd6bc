import { onTestFinished } from 'vitest'
import type { Clock, VirtualClock } from '../../../src/core/time/index.js'
import { signInToBroker } from '../../../src/daemon/broker/instrument-loading.js'
import { FakeAngel } from '../../fixtures/fake-angel/server.js'
import type { Script } from '../../fixtures/fake-broker/script.js'
import { FakeDhan } from '../../fixtures/fake-dhan/server.js'
import { FakeKite } from '../../fixtures/fake-kite/server.js'
import { FakeUpstox } from '../../fixtures/fake-upstox/server.js'
import { FAKE_BROKERS } from '../process/fake-brokers.js'
import { settled } from '../settled.js'
import { FRIDAY_11, TestDesk } from './desk.js'
import { deskClock } from './desk-clock.js'

/** The time after a start in which the budgets let no call leave. */
const FIRST_SECOND_MS = 1_112

/** What tests of every broker ask of a fake. */
interface Fake {
  port: number
  script: Script
  /** Moves the price of INFY on NSE. */
  setPrice(ltp: number): void
  /** Marks GTTs that fire, and sends their orders only with `sendHeld`. Absent where a GTT does not name its order. */
  holdOrders?(): void
  sendHeld?(): void
  stop(): Promise<void>
}

type FakeId = keyof typeof FAKE_BROKERS

/** Starts each fake without call limits: the clock of a desk runs in jumps. */
const STARTS: Readonly<Record<FakeId, (clock: Clock) => Promise<Fake>>> = {
  zerodha: async (clock) => {
    const fake = await FakeKite.start({ clock, limits: 'none' })
    return { ...partsOf(fake, 'NSE:INFY'), ...holdsOf(fake.triggers) }
  },
  upstox: async (clock) => {
    const fake = await FakeUpstox.start({ clock, limits: 'none' })
    return { ...partsOf(fake, 'NSE_EQ|INE009A01021'), ...holdsOf(fake.gtts) }
  },
  angel: async (clock) => partsOf(await FakeAngel.start({ clock, limits: 'none' }), 'NSE:INFY-EQ'),
  dhan: async (clock) => {
    const fake = await FakeDhan.start({ clock, limits: 'none' })
    return { ...partsOf(fake, 'NSE_EQ:1594'), ...holdsOf(fake.forevers) }
  },
}

function partsOf(
  fake: Pick<Fake, 'port' | 'script' | 'stop'> & { setPrice(key: string, ltp: number): void },
  key: string,
): Fake {
  const { port, script } = fake
  return { port, script, setPrice: (ltp) => fake.setPrice(key, ltp), stop: () => fake.stop() }
}

function holdsOf(gtts: {
  holdOrders(): void
  sendHeld(): void
}): Required<Pick<Fake, 'holdOrders' | 'sendHeld'>> {
  return { holdOrders: () => gtts.holdOrders(), sendHeld: () => gtts.sendHeld() }
}

/** The fake of any broker, which lives as long as the test, and desks that trade live through it. */
export class FakeDesk {
  private constructor(
    readonly id: FakeId,
    readonly fake: Fake,
    readonly clock: VirtualClock,
  ) {}

  static async start(id: FakeId): Promise<FakeDesk> {
    const clock = deskClock(FRIDAY_11)
    const fake = await STARTS[id](clock)
    onTestFinished(() => fake.stop())
    return new FakeDesk(id, fake, clock)
  }

  /** Opens a desk that is signed in; a home of an earlier desk has its orders. */
  async desk(home?: string): Promise<TestDesk> {
    const { endpoints, fields } = FAKE_BROKERS[this.id]
    const named = Object.entries(endpoints(`127.0.0.1:${this.fake.port}`))
    const env = { BROKER_ENDPOINTS: named.map(([name, url]) => `${name}=${url}`).join(',') }
    const options = { ...(home !== undefined && { home }), clock: this.clock, env }
    // A broker answers nothing in the first second after a start, for which some wait.
    const desk = await settled(this.clock, TestDesk.open(options))
    await desk.clock.advance(FIRST_SECOND_MS)
    desk.service.openOrders.start()
    await desk.settled(desk.service.brokers.use(this.id))
    if (!desk.service.brokers.connected()) await desk.settled(signInToBroker(desk.service, { ...fields }))
    return desk
  }
}
