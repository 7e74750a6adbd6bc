import { onTestFinished } from 'vitest'
import type { Logger } from '../../../src/core/logging/index.js'
import type { Clock, VirtualClock } from '../../../src/core/time/index.js'
import { signInToBroker } from '../../../src/daemon/broker/instrument-loading.js'
import { CATALOGUE as ANGEL_CATALOGUE } from '../../fixtures/fake-angel/catalogue.js'
import { packet as angelPacket } from '../../fixtures/fake-angel/frames.js'
import { FakeAngel } from '../../fixtures/fake-angel/server.js'
import type { Script } from '../../fixtures/fake-broker/script.js'
import { scripOf as dhanScripOf } from '../../fixtures/fake-dhan/catalogue.js'
import { fullPacket } from '../../fixtures/fake-dhan/packets.js'
import { FakeDhan } from '../../fixtures/fake-dhan/server.js'
import { frame as kiteFrame, packet as kitePacket } from '../../fixtures/fake-kite/packets.js'
import { FakeKite } from '../../fixtures/fake-kite/server.js'
import { feedFrame, feedOf } from '../../fixtures/fake-upstox/frames.js'
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
  /** Returns a frame of the price feed with all that it tells of INFY on NSE, and other prices in it. */
  frame(changed?: { ltp: number; open: number }): Uint8Array
  /** Sends bytes as they are over every connection of the price feed. */
  sendFrame(bytes: Uint8Array): void
  /** Refuses the order of the GTT that fires next. Only Dhan, where either status of the GTT is possible. */
  refuseNext?(words: string, shows: 'TRIGGERED' | 'REJECTED'): void
  /** Returns the orders that the broker took. */
  placed(): readonly unknown[]
  stop(): Promise<void>
}

type FakeId = keyof typeof FAKE_BROKERS

/** Starts each fake without call limits: the clock of a desk runs in jumps. */
const STARTS: Readonly<Record<FakeId, (clock: Clock) => Promise<Fake>>> = {
  zerodha: async (clock) => {
    const fake = await FakeKite.start({ clock, limits: 'none' })
    const feed: Feed = {
      frame: (changed) => {
        const state = { ...present(fake.prices.get('NSE:INFY')), ...changed }
        return kiteFrame([kitePacket(state, 'full', clock.now())])
      },
      sendFrame: (bytes) => fake.ticker.sendRaw(bytes),
    }
    return { ...partsOf(fake, 'NSE:INFY'), ...feed, ...holdsOf(fake.triggers) }
  },
  upstox: async (clock) => {
    const fake = await FakeUpstox.start({ clock, limits: 'none' })
    const key = 'NSE_EQ|INE009A01021'
    const feed: Feed = {
      frame: (changed) => {
        const entry = feedOf({ ...present(fake.exchange.price(key)), ...changed }, 'full', clock.now())
        return feedFrame('live_feed', [[key, entry]], clock.now())
      },
      sendFrame: (bytes) => fake.feeds.sendRaw(bytes),
    }
    return { ...partsOf(fake, key), ...feed, ...holdsOf(fake.gtts) }
  },
  angel: async (clock) => {
    const fake = await FakeAngel.start({ clock, limits: 'none' })
    const key = 'NSE:INFY-EQ'
    const scrip = () => present(ANGEL_CATALOGUE.find((row) => row.key === key))
    const feed: Feed = {
      frame: (changed) =>
        angelPacket(scrip(), { ...present(fake.exchange.price(key)), ...changed }, 3, clock.now()),
      sendFrame: (bytes) => fake.feeds.sendRaw(bytes),
    }
    return { ...partsOf(fake, key), ...feed }
  },
  dhan: async (clock) => {
    const fake = await FakeDhan.start({ clock, limits: 'none' })
    const price = () => present(fake.exchange.price('NSE_EQ:1594'))
    const feed: Feed = {
      frame: (changed) =>
        fullPacket(present(dhanScripOf('NSE_EQ', '1594')), { ...price(), ...changed }, clock.now()),
      sendFrame: (bytes) => fake.feeds.sendRaw(bytes),
    }
    const refuseNext: Fake['refuseNext'] = (words, shows) => {
      fake.forevers.refusesNext = { words, shows }
    }
    return { ...partsOf(fake, 'NSE_EQ:1594'), ...feed, ...holdsOf(fake.forevers), refuseNext }
  },
}

type Feed = Pick<Fake, 'frame' | 'sendFrame'>

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the fake does not list INFY')
  return value
}

function partsOf(
  fake: Pick<Fake, 'port' | 'script' | 'stop'> & {
    ledger: { placed: readonly unknown[] }
    setPrice(key: string, ltp: number): void
  },
  key: string,
): Omit<Fake, keyof Feed> {
  const { port, script } = fake
  const placed = () => fake.ledger.placed
  return { port, script, placed, setPrice: (ltp) => fake.setPrice(key, ltp), stop: () => fake.stop() }
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

  static async start(id: FakeId, at = FRIDAY_11): Promise<FakeDesk> {
    const clock = deskClock(at)
    const fake = await STARTS[id](clock)
    onTestFinished(() => fake.stop())
    return new FakeDesk(id, fake, clock)
  }

  /** Opens a desk that is signed in; a home of an earlier desk has its orders. */
  async desk(home?: string, log?: Logger): Promise<TestDesk> {
    const { endpoints, fields } = FAKE_BROKERS[this.id]
    const named = Object.entries(endpoints(`127.0.0.1:${this.fake.port}`))
    const env = { BROKER_ENDPOINTS: named.map(([name, url]) => `${name}=${url}`).join(',') }
    const options = { ...(home !== undefined && { home }), ...(log && { log }), clock: this.clock, env }
    // A broker answers nothing in the first second after a start, for which some wait.
    const desk = await settled(this.clock, TestDesk.open(options))
    await desk.clock.advance(FIRST_SECOND_MS)
    desk.service.openOrders.start()
    await desk.settled(desk.service.brokers.use(this.id))
    if (!desk.service.brokers.connected()) await desk.settled(signInToBroker(desk.service, { ...fields }))
    return desk
  }
}
