import type { BrokerPlugin, BrokerSession } from '../../../../src/core/brokers/broker.js'
import { type Clock, SystemClock, VirtualClock } from '../../../../src/core/time/index.js'
import { downloadedContext } from './context.js'
import { meteredOn } from './metered.js'
import type { ConformanceRig, Counted, Metered, RigFeed } from './rig.js'

const REAL = new SystemClock()
const FRIDAY_10 = '2025-09-12T10:00:00.700+05:30'
/** The option that every fake lists. */
const DERIVATIVE = { symbol: 'NIFTY29JAN3024000CE', exchange: 'NFO', lot: 75 } as const
/** Its price when a day ends. */
const CLOSE = 318

/** What every broker counts in units; the others are of each broker. */
export const COUNTED_IN_UNITS: readonly Counted[] = [
  { symbol: 'INFY', exchange: 'NSE', lot: 1, count: 1, product: 'MIS' },
  { ...DERIVATIVE, count: 75, product: 'NRML' },
]

/** A fake broker, as far as all of them are alike. */
interface FakeBroker {
  endpoints: Readonly<Record<string, string>>
  requests: { readonly length: number }
  calls: { readonly violations: readonly unknown[] }
  ledger: { readonly placed: readonly { tag: string; fields: Readonly<Record<string, unknown>> }[] }
  script: { set(rule: { route: string; actions: string[] }): void }
  setPrice(key: string, ltp: number): void
  endSession(): void
  stop(): Promise<void>
}

/** One message of a fake's price feed about INFY and SBIN. */
interface FeedMessage {
  bytes: Buffer
  /** So many bytes at its end belong to what it says of SBIN. */
  cutBytes: number
  cash: number
  other: number
}

interface FakeFeed {
  message(): FeedMessage
  send(bytes: Buffer): void
  /** The addresses of all dials, where each works once. */
  dials?(): readonly string[]
  cut(): void
}

/** What the rig of one broker knows, and no other. */
export interface BrokerFacts<Fake extends FakeBroker> {
  plugin: BrokerPlugin
  session: BrokerSession
  start(options: { clock: Clock; limits?: 'none' }): Promise<Fake>
  counted: readonly Counted[]
  /** Texts that must not appear in any error message, and those of them that the client knows. */
  secrets: readonly string[]
  known: readonly string[]
  /** The code with which the broker refuses an order in its own words. */
  refusal: string
  refuseAddress(fake: Fake, address: string): void
  /** See {@link ConformanceRig.refuseFired}. */
  refuseFired?(fake: Fake, words: string): void
  /** Makes a position of five SBIN in margin funding. */
  fund(fake: Fake): void
  nextDay(fake: Fake): void
  /** The keys of the instruments that the suite trades, the cash instrument first, each with a price and a tick by which it moves. */
  prices: readonly (readonly [key: string, price: number, tick: number])[]
  /** The key of the option. */
  option: string
  feed(fake: Fake, clock: Clock): FakeFeed
}

/** Returns the set-up of the rig of a broker that has a fake server. */
export function rigOf<Fake extends FakeBroker>(facts: BrokerFacts<Fake>): () => Promise<ConformanceRig> {
  const { option, plugin, session } = facts
  return async () => {
    const clock = new VirtualClock(FRIDAY_10)
    const brokerClock = new VirtualClock(FRIDAY_10)
    const fake = await facts.start({ clock: brokerClock, limits: 'none' })
    const context = await downloadedContext({ plugin, session, endpoints: fake.endpoints }, clock)
    const client = plugin.connect(session, context)
    const { refuseFired } = facts
    let moves = 0
    return {
      plugin,
      client,
      session,
      context,
      instruments: {
        cash: { symbol: 'INFY', exchange: 'NSE', lot: 1 },
        other: { symbol: 'SBIN', exchange: 'NSE' },
        index: { symbol: 'NIFTY', exchange: 'NSE_INDEX' },
        derivative: DERIVATIVE,
      },
      counted: facts.counted,
      async brokerQuantity(tag) {
        const entry = fake.ledger.placed.find((each) => each.tag === tag)
        return entry && Number(entry.fields.quantity)
      },
      history: { from: '2025-09-04', to: '2025-09-10' },
      secrets: facts.secrets,
      known: facts.known,
      logged: () => JSON.stringify(context.lines),
      spoilt: ['no_id', 'cut_body', 'garbage', 'drop_after', '5xx_after'],
      lost: { before: 'drop_before', after: 'drop_after' },
      largest: 1800,
      skew: (ms) => brokerClock.advance(ms),
      spoil: (route, spoilt) => fake.script.set({ route, actions: [spoilt] }),
      refuseWith: (words) =>
        fake.script.set({ route: 'place', actions: [`reject:${facts.refusal}:${words}`] }),
      ...(refuseFired && { refuseFired: (words: string) => refuseFired(fake, words) }),
      endSession: () => fake.endSession(),
      refusals: () => context.refusals(),
      refuseAddress: () => facts.refuseAddress(fake, '203.0.113.7'),
      feed: rigFeed(facts.feed(fake, clock)),
      metered: () => metered(facts),
      async holdForeign() {
        facts.fund(fake)
        return { symbol: 'SBIN', exchange: 'NSE', product: 'MTF', quantity: 5 }
      },
      async stir() {
        moves++
        for (const [key, price, tick] of facts.prices)
          fake.setPrice(key, Math.round((price + moves * tick) * 10_000) / 10_000)
      },
      async fallTo(price) {
        const [[cash] = ['']] = facts.prices
        fake.setPrice(cash, price)
      },
      async nextDay() {
        fake.setPrice(option, CLOSE)
        facts.nextDay(fake)
        fake.setPrice(option, CLOSE + 5)
        return CLOSE
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
}

function rigFeed(feed: FakeFeed): RigFeed {
  return {
    sendBoth(kind) {
      const { bytes, cash, cutBytes, other } = feed.message()
      feed.send(kind === 'whole' ? bytes : bytes.subarray(0, bytes.length - cutBytes))
      return { cash, other }
    },
    dials: () => feed.dials?.() ?? [],
    cut: () => feed.cut(),
  }
}

async function metered<Fake extends FakeBroker>({
  plugin,
  session,
  start,
}: BrokerFacts<Fake>): Promise<Metered> {
  const clock = new VirtualClock(FRIDAY_10)
  const fake = await start({ clock })
  const { endpoints } = fake
  const context = await downloadedContext({ plugin, session, endpoints }, clock, plugin.manifest.rateLimits)
  return meteredOn(fake, plugin.connect(session, context), { budgets: context.budgets, clock })
}
