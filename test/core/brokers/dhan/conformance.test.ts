import { dhan } from '../../../../src/core/brokers/dhan/index.js'
import { SystemClock, VirtualClock } from '../../../../src/core/time/index.js'
import { scripOf } from '../../../fixtures/fake-dhan/catalogue.js'
import { fullPacket } from '../../../fixtures/fake-dhan/packets.js'
import { ACCOUNT, FakeDhan } from '../../../fixtures/fake-dhan/server.js'
import { meteredOn } from '../conformance/metered.js'
import type { ConformanceRig, Counted, Metered, RigFeed } from '../conformance/rig.js'
import { runBrokerConformance } from '../conformance.js'
import { contextFor, FRIDAY_10, SECRETS, SESSION } from './rig.js'

const REAL = new SystemClock()

const INFY = 'NSE_EQ:1594'
const SBIN = 'NSE_EQ:3045'
const OPTION = 'NSE_FNO:53002'
const DERIVATIVE = { symbol: 'NIFTY29JAN3024000CE', exchange: 'NFO', lot: 75 } as const

/** What Dhan counts of commodities and currencies is not settled, so nothing is traded there. */
const COUNTED: readonly Counted[] = [
  { symbol: 'INFY', exchange: 'NSE', lot: 1, count: 1, product: 'MIS' },
  { ...DERIVATIVE, count: 75, product: 'NRML' },
]

async function setup(): Promise<ConformanceRig> {
  const clock = new VirtualClock(FRIDAY_10)
  const brokerClock = new VirtualClock(FRIDAY_10)
  const fake = await FakeDhan.start({ clock: brokerClock, limits: 'none' })
  const context = await contextFor(fake, clock)
  const client = dhan.connect(SESSION, context)
  let moves = 0
  return {
    plugin: dhan,
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
    known: [ACCOUNT.accessToken],
    logged: () => JSON.stringify(context.lines),
    spoilt: ['no_id', 'cut_body', 'garbage', 'drop_after', '5xx_after'],
    lost: { before: 'drop_before', after: 'drop_after' },
    largest: 1800,
    skew: (ms) => brokerClock.advance(ms),
    spoil: (call, spoilt) => fake.script.set({ route: call, actions: [spoilt] }),
    refuseWith: (words) => fake.script.set({ route: 'place', actions: [`reject:DH-905:${words}`] }),
    endSession: () => fake.endSession(),
    refusals: () => context.refusals(),
    refuseAddress() {
      fake.signIn.refusedAddress = '203.0.113.7'
    },
    feed: feedOf(fake, clock),
    metered,
    async holdForeign() {
      fake.exchange.hold(SBIN, 'MTF', 5)
      return { symbol: 'SBIN', exchange: 'NSE', product: 'MTF', quantity: 5 }
    },
    async stir() {
      moves++
      fake.setPrice(INFY, Math.round((1500 + moves * 0.05) * 100) / 100)
      fake.setPrice(SBIN, Math.round((800 + moves * 0.05) * 100) / 100)
      fake.setPrice(OPTION, Math.round((310 + moves * 0.05) * 100) / 100)
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

function feedOf(fake: FakeDhan, clock: VirtualClock): RigFeed {
  const stateOf = (id: string) => {
    const scrip = scripOf('NSE_EQ', id)
    const price = scrip && fake.exchange.price(scrip.key)
    if (!scrip || !price) throw new Error(`${id} is not listed`)
    return { ltp: price.ltp, bytes: fullPacket(scrip, price, clock.now()) }
  }
  return {
    sendBoth(kind) {
      const [cash, other] = [stateOf('1594'), stateOf('3045')]
      const message = Buffer.concat([cash.bytes, other.bytes])
      fake.feeds.sendRaw(kind === 'whole' ? message : message.subarray(0, message.length - 5))
      return { cash: cash.ltp, other: other.ltp }
    },
    dials: () => [],
    cut: () => fake.feeds.disconnectAll(),
  }
}

async function metered(): Promise<Metered> {
  const clock = new VirtualClock(FRIDAY_10)
  const fake = await FakeDhan.start({ clock })
  const context = await contextFor(fake, clock, dhan.manifest.rateLimits)
  const client = dhan.connect(SESSION, context)
  return meteredOn(fake, client, { budgets: context.budgets, clock })
}

runBrokerConformance('dhan', setup)
