import { angel } from '../../../../src/core/brokers/angel/index.js'
import type { BrokerContext, BrokerSession } from '../../../../src/core/brokers/broker.js'
import { CallBudgets } from '../../../../src/core/brokers/kit/budget/call-budgets.js'
import type { RateLimits } from '../../../../src/core/brokers/kit/budget/limits.js'
import { InMemoryDirectory } from '../../../../src/core/instruments/index.js'
import type { Instrument } from '../../../../src/core/instruments/schema.js'
import type { OrderRequest } from '../../../../src/core/orders/schema.js'
import { type Clock, SystemClock } from '../../../../src/core/time/index.js'
import { ACCOUNT, FakeAngel } from '../../../fixtures/fake-angel/server.js'
import { type RecordedLine, recordingLogger } from '../../logging/recording-logger.js'

export const SESSION: BrokerSession = {
  accessToken: ACCOUNT.jwt,
  feedToken: ACCOUNT.feedToken,
  issuedAt: 0,
  extra: {
    api_key: ACCOUNT.apiKey,
    client_code: ACCOUNT.clientCode,
    refresh_token: ACCOUNT.refreshToken,
  },
}

/** The fields of the log-in form. */
export const FIELDS = {
  api_key: ACCOUNT.apiKey,
  client_code: ACCOUNT.clientCode,
  pin: ACCOUNT.pin,
  totp_secret: ACCOUNT.totpSecret,
} as const

export const SECRETS = [
  ACCOUNT.jwt,
  ACCOUNT.feedToken,
  ACCOUNT.refreshToken,
  ACCOUNT.pin,
  ACCOUNT.totpSecret,
] as const

/** A context with the master of the fake, which records log lines and counts refusals of the session at sockets. */
export async function contextFor(
  fake: FakeAngel,
  clock: Clock = new SystemClock(),
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
  for await (const batch of angel.instruments.download(undefined, context)) master.push(...batch)
  return {
    ...context,
    instruments: InMemoryDirectory.of(master),
    budgets: new CallBudgets(limits, clock),
    lines: log.lines,
    refusals: () => refusals,
  }
}

/** A fake broker without call limits and a client connected to it, each with a clock of its own. */
export async function startRig(clock?: Clock, fakeClock: Clock | undefined = clock) {
  const fake = await FakeAngel.start({ ...(fakeClock && { clock: fakeClock }), limits: 'none' })
  const context = await contextFor(fake, clock)
  const client = angel.connect(SESSION, context)
  return {
    fake,
    context,
    client,
    refusals: context.refusals,
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

const REAL = new SystemClock()
const PATIENCE_MS = 5000

/** Waits for an effect of real sockets, independently of the client's clock. */
export async function until<T>(probe: () => T | undefined | false): Promise<T> {
  for (let waited = 0; waited < PATIENCE_MS; waited++) {
    const found = probe()
    if (found !== undefined && found !== false) return found
    await REAL.sleep(1)
  }
  throw new Error('it did not come about')
}
