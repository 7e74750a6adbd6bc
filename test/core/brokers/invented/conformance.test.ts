import { SystemClock, VirtualClock } from '../../../../src/core/time/index.js'
import { CATALOGUE } from '../../../fixtures/invented-broker/fake/catalogue.js'
import { depthPart, priceOf } from '../../../fixtures/invented-broker/fake/frames.js'
import { ACCOUNT } from '../../../fixtures/invented-broker/fake/routes.js'
import { FakeInvented } from '../../../fixtures/invented-broker/fake/server.js'
import { invented } from '../../../fixtures/invented-broker/plugin/index.js'
import { meteredOn } from '../conformance/metered.js'
import type { ConformanceRig, Counted, Metered, RigFeed } from '../conformance/rig.js'
import { runBrokerConformance } from '../conformance.js'
import { contextFor, SESSION } from './rig.js'

const REAL = new SystemClock()
const FRIDAY_10 = '2025-09-12T10:00:00.700+05:30'
const OPTION = 'NSEFO/NIFTY-20300129-24000C'
const DERIVATIVE = { symbol: 'NIFTY29JAN3024000CE', exchange: 'NFO', lot: 75 } as const

const COUNTED: readonly Counted[] = [
  { symbol: 'INFY', exchange: 'NSE', lot: 1, count: 1, product: 'MIS' },
  { ...DERIVATIVE, count: 75, product: 'NRML' },
  { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', lot: 10, count: 1, product: 'NRML' },
]

async function setup(): Promise<ConformanceRig> {
  const clock = new VirtualClock(FRIDAY_10)
  const brokerClock = new VirtualClock(FRIDAY_10)
  const fake = await FakeInvented.start({ clock: brokerClock, limits: 'none' })
  const context = await contextFor(fake, clock)
  const client = invented.connect(SESSION, context)
  let moves = 0
  return {
    plugin: invented,
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
    secrets: [ACCOUNT.bearer, ACCOUNT.appSecret, ACCOUNT.code, 'inventedticket'],
    known: [ACCOUNT.bearer],
    logged: () => JSON.stringify(context.lines),
    spoilt: ['no_id', 'cut_body', 'garbage', 'drop_after', '5xx_after'],
    lost: { before: 'drop_before', after: 'drop_after' },
    largest: 1800,
    skew: (ms) => brokerClock.advance(ms),
    spoil: (call, spoilt) => fake.script.set({ route: call, actions: [spoilt] }),
    refuseWith: (words) => fake.script.set({ route: 'place', actions: [`reject:O-10:${words}`] }),
    endSession: () => fake.endSession(),
    refusals: () => context.refusals(),
    refuseAddress() {
      fake.world.session.refusedAddress = '203.0.113.7'
    },
    feed: feedOf(fake, clock),
    metered,
    async holdForeign() {
      fake.exchange.hold('NSECM/SBIN', 'FUNDED', 5)
      return { symbol: 'SBIN', exchange: 'NSE', product: 'MTF', quantity: 5 }
    },
    async stir() {
      moves++
      fake.setPrice('NSECM/INFY', 1500 + moves * 0.05)
      fake.setPrice('NSECM/SBIN', 800 + moves * 0.05)
      fake.setPrice(OPTION, 310 + moves * 0.05)
      fake.setPrice('MCXCO/GOLDM-20300131-F', 72_150 + moves)
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

function feedOf(fake: FakeInvented, clock: VirtualClock): RigFeed {
  const parts = (key: string) => {
    const scrip = CATALOGUE.find((row) => row.key === key)
    const price = fake.exchange.price(key)
    if (!scrip || !price) throw new Error(`${key} is not listed`)
    return { ltp: price.ltp, bytes: [priceOf(scrip, price, clock.now()), depthPart(scrip, price)] }
  }
  return {
    sendBoth(kind) {
      const [cash, other] = [parts('NSECM/INFY'), parts('NSECM/SBIN')]
      const whole = Buffer.concat([...cash.bytes, ...other.bytes])
      const cut = Buffer.concat([...cash.bytes, ...other.bytes.slice(0, 1)])
      fake.feed.sendRaw(kind === 'whole' ? whole : cut.subarray(0, cut.length - 5))
      return { cash: cash.ltp, other: other.ltp }
    },
    dials: () => fake.feed.dials,
    cut: () => fake.feed.disconnectAll(),
  }
}

async function metered(): Promise<Metered> {
  const clock = new VirtualClock(FRIDAY_10)
  const fake = await FakeInvented.start({ clock })
  const context = await contextFor(fake, clock, invented.manifest.rateLimits)
  const client = invented.connect(SESSION, context)
  return meteredOn(fake, client, { budgets: context.budgets, clock })
}

runBrokerConformance('invented', setup)
