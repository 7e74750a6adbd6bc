import { onTestFinished } from 'vitest'
import type { BrokerContext, BrokerSession } from '../../../../src/core/brokers/broker.js'
import { CallBudgets } from '../../../../src/core/brokers/kit/budget/call-budgets.js'
import type { RateLimits } from '../../../../src/core/brokers/kit/budget/limits.js'
import { zerodha } from '../../../../src/core/brokers/zerodha/index.js'
import { InMemoryDirectory, type InstrumentDirectory } from '../../../../src/core/instruments/index.js'
import { type Clock, SystemClock } from '../../../../src/core/time/index.js'
import { instrumentsCsv } from '../../../fixtures/fake-kite/catalogue.js'
import { FAKE_ACCOUNT, FakeKite } from '../../../fixtures/fake-kite/server.js'
import { type RecordedLine, recordingLogger } from '../../logging/recording-logger.js'
import { connectedTo } from '../conformance/connected.js'
import { kiteRows } from './master/kite-rows.js'

export { orderOf, until } from '../conformance/orders.js'

export const SECRETS = [FAKE_ACCOUNT.accessToken, FAKE_ACCOUNT.apiSecret, FAKE_ACCOUNT.requestToken]

export const SESSION: BrokerSession = {
  accessToken: `${FAKE_ACCOUNT.apiKey}:${FAKE_ACCOUNT.accessToken}`,
  issuedAt: 0,
}

/** A master in which every symbol exists; its token is the symbol itself. */
export const EVERY_SYMBOL: InstrumentDirectory = {
  master: {},
  count: 0,
  find: (symbol) => ({
    symbol,
    brokerSymbol: symbol,
    name: symbol,
    exchange: 'NSE',
    brokerExchange: 'NSE',
    token: symbol,
    expiry: '',
    strike: 0,
    lotSize: 1,
    instrumentType: 'EQ',
    tickSize: 0.05,
  }),
  byToken: () => undefined,
  byBrokerSymbol: () => undefined,
  freezeQuantity: () => undefined,
}

/** A context with the fake broker's master that records log lines. Calls wait for no budget unless it has limits. */
export function contextFor(
  endpoints: Readonly<Record<string, string>>,
  clock: Clock = new SystemClock(),
  limits: RateLimits = {},
): BrokerContext & { lines: RecordedLine[] } {
  const log = recordingLogger()
  return {
    clock,
    endpoints,
    instruments: InMemoryDirectory.of(kiteRows(instrumentsCsv())),
    log,
    budgets: new CallBudgets(limits, clock),
    stateDir: '',
    lines: log.lines,
  }
}

/** A fake broker without call limits and a client connected to it, each with a clock of its own. */
export async function startRig(clock?: Clock, fakeClock?: Clock) {
  const fake = await FakeKite.start({ clock: fakeClock, limits: 'none' })
  const context = contextFor(fake.endpoints, clock)
  return connectedTo({ plugin: zerodha, session: SESSION, fake, context })
}

/** Sets Kite's size of GOLDM for this test. */
export function setMultiplierAt({ prices }: FakeKite, multiplier: number): void {
  const listing = prices.get('MCX:GOLDM30JANFUT')?.listing
  if (!listing) throw new Error('not listed')
  const before = listing.multiplier
  onTestFinished(() => {
    listing.multiplier = before
  })
  listing.multiplier = multiplier
}
