import { CallBudgets } from '../../../../src/core/brokers/kit/budget/call-budgets.js'
import { zerodha } from '../../../../src/core/brokers/zerodha/index.js'
import { SystemClock, VirtualClock } from '../../../../src/core/time/index.js'
import { frame, packet } from '../../../fixtures/fake-kite/packets.js'
import { FAKE_ACCOUNT, FakeKite } from '../../../fixtures/fake-kite/server.js'
import { meteredOn } from '../conformance/metered.js'
import type { ConformanceRig, Counted, Metered, RigFeed } from '../conformance/rig.js'
import { runBrokerConformance } from '../conformance.js'
import { contextFor, SECRETS, SESSION } from './rig.js'

const REAL = new SystemClock()
const FRIDAY_10 = '2025-09-12T10:00:00.700+05:30'

/** The derivative, in Kite's spelling. */
const OPTION = 'NFO:NIFTY30JAN24000CE'
const DERIVATIVE = { symbol: 'NIFTY29JAN3024000CE', exchange: 'NFO', lot: 75 } as const

const COUNTED: readonly Counted[] = [
  { symbol: 'INFY', exchange: 'NSE', lot: 1, count: 1, product: 'MIS' },
  { ...DERIVATIVE, count: 75, product: 'NRML' },
  { symbol: 'USDINR29JAN30FUT', exchange: 'CDS', lot: 1000, count: 1, product: 'NRML' },
  { symbol: 'GOLDM31JAN30FUT', exchange: 'MCX', lot: 10, count: 1, product: 'NRML' },
]

async function setup(): Promise<ConformanceRig> {
  const clock = new VirtualClock(FRIDAY_10)
  const brokerClock = new VirtualClock(FRIDAY_10)
  const fake = await FakeKite.start({ clock: brokerClock, limits: 'none' })
  let refusals = 0
  const base = contextFor(fake.endpoints, clock)
  const context = {
    ...base,
    sessionRefused: () => {
      refusals += 1
    },
  }
  const client = zerodha.connect(SESSION, context)
  let moves = 0
  return {
    plugin: zerodha,
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
    known: [FAKE_ACCOUNT.accessToken],
    logged: () => JSON.stringify(base.lines),
    spoilt: ['no_id', 'cut_body', 'garbage', 'drop_after', '5xx_after'],
    lost: { before: 'drop_before', after: 'drop_after' },
    largest: 1800,
    skew: (ms) => brokerClock.advance(ms),
    spoil: (call, spoilt) => fake.script.set({ route: call, actions: [spoilt] }),
    refuseWith: (words) => fake.script.set({ route: 'place', actions: [`reject:InputException:${words}`] }),
    refuseFired(words) {
      fake.triggers.refusesNext = words
    },
    endSession: () => fake.endSession(),
    refusals: () => refusals,
    refuseAddress: () => fake.refuseAddress('203.0.113.7'),
    feed: feedOf(fake, clock),
    metered: metered,
    async holdForeign() {
      fake.book.hold('NSE:SBIN', 'MTF', 5)
      return { symbol: 'SBIN', exchange: 'NSE', product: 'MTF', quantity: 5 }
    },
    async stir() {
      moves++
      fake.setPrice('NSE:INFY', 1500 + moves * 0.05)
      fake.setPrice('NSE:SBIN', 800 + moves * 0.05)
      fake.setPrice(OPTION, 310 + moves * 0.05)
      fake.setPrice('CDS:USDINR30JANFUT', 84.5525 + moves * 0.0025)
      fake.setPrice('MCX:GOLDM30JANFUT', 72_150 + moves)
    },
    async nextDay() {
      fake.setPrice(OPTION, 318)
      fake.nextDay()
      const close = fake.prices.get(OPTION)?.close ?? 0
      fake.setPrice(OPTION, close + 5)
      return close
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

function feedOf({ prices, ticker }: FakeKite, clock: VirtualClock): RigFeed {
  const stateOf = (key: string) => {
    const state = prices.get(key)
    if (!state) throw new Error(`${key} is not listed`)
    return state
  }
  return {
    sendBoth(kind) {
      const [cash, other] = [stateOf('NSE:INFY'), stateOf('NSE:SBIN')]
      const message = frame([cash, other].map((state) => packet(state, 'full', clock.now())))
      ticker.sendRaw(kind === 'whole' ? message : message.subarray(0, message.length - 100))
      return { cash: cash.ltp, other: other.ltp }
    },
    dials: () => [],
    cut: () => ticker.disconnectAll(),
  }
}

async function metered(): Promise<Metered> {
  const clock = new VirtualClock(FRIDAY_10)
  const fake = await FakeKite.start({ clock })
  const budgets = new CallBudgets(zerodha.manifest.rateLimits, clock)
  const client = zerodha.connect(SESSION, { ...contextFor(fake.endpoints, clock), budgets })
  return meteredOn(fake, client, { budgets, clock })
}

runBrokerConformance('zerodha', setup)
