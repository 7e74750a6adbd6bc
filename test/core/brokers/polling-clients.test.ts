import { expect, it, onTestFinished } from 'vitest'
import { angel } from '../../../src/core/brokers/angel/index.js'
import type { BrokerPlugin, BrokerSession } from '../../../src/core/brokers/broker.js'
import { dhan } from '../../../src/core/brokers/dhan/index.js'
import { upstox } from '../../../src/core/brokers/upstox/index.js'
import { zerodha } from '../../../src/core/brokers/zerodha/index.js'
import { accountAt } from '../../../src/core/orders/account/positions.js'
import { VirtualClock } from '../../../src/core/time/index.js'
import { FakeAngel } from '../../fixtures/fake-angel/server.js'
import { FakeDhan } from '../../fixtures/fake-dhan/server.js'
import { FakeKite } from '../../fixtures/fake-kite/server.js'
import { FakeUpstox } from '../../fixtures/fake-upstox/server.js'
import { SESSION as ANGEL } from './angel/rig.js'
import { downloadedContext } from './conformance/context.js'
import { settledMeanwhile } from './conformance/settled.js'
import { SESSION as DHAN } from './dhan/rig.js'
import { SESSION as UPSTOX } from './upstox/rig.js'
import { SESSION as KITE } from './zerodha/rig.js'

interface Fake {
  endpoints: Readonly<Record<string, string>>
  requests: readonly unknown[]
  calls: { violations: readonly unknown[] }
  stop(): Promise<void>
}

const BROKERS: readonly (readonly [BrokerPlugin, BrokerSession, (clock: VirtualClock) => Promise<Fake>])[] = [
  [zerodha, KITE, (clock) => FakeKite.start({ clock })],
  [dhan, DHAN, (clock) => FakeDhan.start({ clock })],
  [angel, ANGEL, (clock) => FakeAngel.start({ clock })],
  [upstox, UPSTOX, (clock) => FakeUpstox.start({ clock })],
]
/** More than a budget lets through in the longest wait of a read. */
const POLLS = 600

it.each(BROKERS)(
  'clients that poll the books of $manifest.id delay no exit',
  async (plugin, session, start) => {
    const clock = new VirtualClock('2026-11-27T11:00:00.700+05:30')
    const fake = await start(clock)
    const context = await downloadedContext(
      { plugin, session, endpoints: fake.endpoints },
      clock,
      plugin.manifest.rateLimits,
    )
    const client = plugin.connect(session, context)
    onTestFinished(async () => {
      await client.close()
      await fake.stop()
    })
    const { market, orders, portfolio } = client
    const quotes = () => market.quotes([{ symbol: 'INFY', exchange: 'NSE' }])
    const questions = [() => orders.list(), () => portfolio.positions(), quotes]
    const polls = Array.from({ length: POLLS }, async (_, at) => questions[at % questions.length]?.())
    const settled = <T>(calls: readonly Promise<T>[]) =>
      settledMeanwhile(clock, () => fake.requests.length, calls)
    const all = Promise.allSettled(polls)

    const begun = clock.now()
    expect(await settled([accountAt(client, () => true)])).toMatchObject([{ status: 'fulfilled' }])
    // Two readings of the orders and one of the positions, at the slowest broker one a second.
    expect(clock.now() - begun).toBeLessThan(5_000)

    await settled([all])
    expect(await settled([accountAt(client, () => true)])).toMatchObject([{ status: 'fulfilled' }])
    expect(fake.calls.violations).toEqual([])
  },
)
