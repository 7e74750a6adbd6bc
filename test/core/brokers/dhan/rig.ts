import type { BrokerContext, BrokerSession } from '../../../../src/core/brokers/broker.js'
import { dhan } from '../../../../src/core/brokers/dhan/index.js'
import { CallBudgets } from '../../../../src/core/brokers/kit/budget/call-budgets.js'
import type { RateLimits } from '../../../../src/core/brokers/kit/budget/limits.js'
import { InMemoryDirectory } from '../../../../src/core/instruments/index.js'
import type { Instrument } from '../../../../src/core/instruments/schema.js'
import type { OrderRequest } from '../../../../src/core/orders/schema.js'
import { type Clock, VirtualClock } from '../../../../src/core/time/index.js'
import { ACCOUNT, FakeDhan } from '../../../fixtures/fake-dhan/server.js'
import { type RecordedLine, recordingLogger } from '../../logging/recording-logger.js'

export const SECRETS = [ACCOUNT.accessToken, ACCOUNT.pin, ACCOUNT.totpSecret]

export const FRIDAY_10 = '2025-09-12T10:00:00.700+05:30'

export const SESSION: BrokerSession = {
  accessToken: ACCOUNT.accessToken,
  issuedAt: 0,
  extra: { client_id: ACCOUNT.clientId },
}

/** A context with the master of the fake, which counts refusals of the session at the sockets. */
export async function contextFor(
  fake: FakeDhan,
  clock: Clock,
  limits: RateLimits = {},
): Promise<BrokerContext & { lines: RecordedLine[]; refusals: () => number }> {
  const log = recordingLogger()
  let refusals = 0
  const context = {
    clock,
    endpoints: fake.endpoints,
    instruments: InMemoryDirectory.of([]),
    log,
    budgets: new CallBudgets({}, clock),
    stateDir: '',
    sessionRefused: () => {
      refusals += 1
    },
  }
  const master: Instrument[] = []
  for await (const batch of dhan.instruments.download(undefined, context)) master.push(...batch)
  return {
    ...context,
    instruments: InMemoryDirectory.of(master),
    budgets: new CallBudgets(limits, clock),
    lines: log.lines,
    refusals: () => refusals,
  }
}

/** A fake broker without call limits and a client connected to it, on one clock. */
export async function startRig(at = FRIDAY_10) {
  const clock = new VirtualClock(at)
  const fake = await FakeDhan.start({ clock, limits: 'none' })
  const context = await contextFor(fake, clock)
  const client = dhan.connect(SESSION, context)
  return {
    clock,
    fake,
    context,
    client,
    async close() {
      await client.close()
      await fake.stop()
    },
  }
}

export function orderOf(changes: Partial<OrderRequest> = {}): OrderRequest {
  return {
    strategy: 'test',
    symbol: 'INFY',
    exchange: 'NSE',
    action: 'BUY',
    quantity: 1,
    product: 'MIS',
    priceType: 'MARKET',
    price: 0,
    triggerPrice: 0,
    disclosedQuantity: 0,
    ...changes,
  }
}
