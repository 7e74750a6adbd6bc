import { angel } from '../../../../src/core/brokers/angel/index.js'
import { SystemClock, VirtualClock } from '../../../../src/core/time/index.js'
import { CATALOGUE } from '../../../fixtures/fake-angel/catalogue.js'
import { packet } from '../../../fixtures/fake-angel/frames.js'
import { ACCOUNT, FakeAngel } from '../../../fixtures/fake-angel/server.js'
import { meteredOn } from '../conformance/metered.js'
import type { ConformanceRig, Counted, Metered, RigFeed } from '../conformance/rig.js'
import { runBrokerConformance } from '../conformance.js'
import { contextFor, SECRETS, SESSION } from './rig.js'

const REAL = new SystemClock()
const FRIDAY_10 = '2025-09-12T10:00:00.700+05:30'

const OPTION = 'NFO:NIFTY29JAN3024000CE'
const DERIVATIVE = { symbol: 'NIFTY29JAN3024000CE', exchange: 'NFO', lot: 75 } as const

const COUNTED: readonly Counted[] = [
  { symbol: 'INFY', exchange: 'NSE', lot: 1, count: 1, product: 'MIS' },
  { ...DERIVATIVE, count: 75, product: 'NRML' },
]

async function setup(): Promise<ConformanceRig> {
  const clock = new VirtualClock(FRIDAY_10)
  const brokerClock = new VirtualClock(FRIDAY_10)
  const fake = await FakeAngel.start({ clock: brokerClock, limits: 'none' })
  const context = await contextFor(fake, clock)
  const client = angel.connect(SESSION, context)
  let moves = 0
  return {
    plugin: angel,
    client,
    session: SESSION,
    context,
    instruments: {
      cash: { symbol: 'INFY', exchange: 'NSE', lot: 1 },
      other: { symbol: 'SBIN', exchange: 'NSE' },
      index: { symbol: 'NIFTY', exchange: 'NSE_INDEX' },
      derivative: DERIVATIVE,
    },
    counted: COUNTED,
    async brokerQuantity(tag) {
      const entry = fake.ledger.placed.find((each) => each.tag === tag)
      return entry && Number(entry.fields.quantity)
    },
    history: { from: '2025-09-04', to: '2025-09-10' },
    secrets: SECRETS,
    known: [ACCOUNT.jwt, ACCOUNT.feedToken],
    logged: () => JSON.stringify(context.lines),
    spoilt: ['no_id', 'cut_body', 'garbage', 'drop_after', '5xx_after'],
    lost: { before: 'drop_before', after: 'drop_after' },
    largest: 1800,
    skew: (ms) => brokerClock.advance(ms),
    spoil: (call, spoilt) => fake.script.set({ route: call, actions: [spoilt] }),
    refuseWith: (words) => fake.script.set({ route: 'place', actions: [`reject:AB1009:${words}`] }),
    endSession: () => fake.endSession(),
    refusals: () => context.refusals(),
    refuseAddress() {
      fake.signIn.session.refusedAddress = '203.0.113.7'
    },
    feed: feedOf(fake, clock),
    metered,
    async holdForeign() {
      fake.exchange.hold('NSE:SBIN-EQ', 'MARGIN', 5)
      return { symbol: 'SBIN', exchange: 'NSE', product: 'MTF', quantity: 5 }
    },
    async stir() {
      moves++
      fake.setPrice('NSE:INFY-EQ', 1500 + moves * 0.05)
      fake.setPrice('NSE:SBIN-EQ', 800 + moves * 0.05)
      fake.setPrice(OPTION, 310 + moves * 0.05)
    },
    async nextDay() {
      fake.setPrice(OPTION, 318)
      fake.exchange.nextDay()
      fake.setPrice(OPTION, 323)
      return 318
    },
    async wait() {
      await Promise.all([clock.advance(250), brokerClock.advance(250)])
      await REAL.sleep(2)
    },
    async close() {
      await client.close()
      await fake.stop()
    },
  }
}

/** Angel sends one packet a message; the plugin reads several all the same. */
function feedOf({ exchange, feeds }: FakeAngel, clock: VirtualClock): RigFeed {
  const partOf = (key: string) => {
    const scrip = CATALOGUE.find((row) => row.key === key)
    const price = exchange.price(key)
    if (!scrip || !price) throw new Error(`${key} is not listed`)
    return { ltp: price.ltp, bytes: packet(scrip, price, 3, clock.now()) }
  }
  return {
    sendBoth(kind) {
      const [cash, other] = [partOf('NSE:INFY-EQ'), partOf('NSE:SBIN-EQ')]
      const whole = Buffer.concat([cash.bytes, other.bytes])
      feeds.sendRaw(kind === 'whole' ? whole : whole.subarray(0, whole.length - 5))
      return { cash: cash.ltp, other: other.ltp }
    },
    dials: () => [],
    cut: () => feeds.disconnectAll(),
  }
}

async function metered(): Promise<Metered> {
  const clock = new VirtualClock(FRIDAY_10)
  const fake = await FakeAngel.start({ clock })
  const context = await contextFor(fake, clock, angel.manifest.rateLimits)
  const client = angel.connect(SESSION, context)
  return meteredOn(fake, client, { budgets: context.budgets, clock })
}

runBrokerConformance('angel', setup)
