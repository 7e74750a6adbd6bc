import type { BrokerContext, BrokerSession } from '../../../../src/core/brokers/broker.js'
import { CallBudgets } from '../../../../src/core/brokers/kit/budget/call-budgets.js'
import type { RateLimits } from '../../../../src/core/brokers/kit/budget/limits.js'
import { upstox } from '../../../../src/core/brokers/upstox/index.js'
import { instrumentIn } from '../../../../src/core/brokers/upstox/master/rows.js'
import { InMemoryDirectory } from '../../../../src/core/instruments/index.js'
import { type Clock, SystemClock } from '../../../../src/core/time/index.js'
import { masterRows } from '../../../fixtures/fake-upstox/catalogue.js'
import { FAKE_ACCOUNT, FakeUpstox } from '../../../fixtures/fake-upstox/server.js'
import { type RecordedLine, recordingLogger } from '../../logging/recording-logger.js'
import { connectedTo } from '../conformance/connected.js'

export { orderOf } from '../conformance/orders.js'

export const SECRETS = [FAKE_ACCOUNT.accessToken, FAKE_ACCOUNT.apiSecret, FAKE_ACCOUNT.code]

export const SESSION: BrokerSession = { accessToken: FAKE_ACCOUNT.accessToken, issuedAt: 0 }

export const INFY = 'NSE_EQ|INE009A01021'
export const SBIN = 'NSE_EQ|INE062A01020'

/** The fake broker's master, as the plugin reads it. */
const DIRECTORY = InMemoryDirectory.of(
  masterRows().flatMap((row) => {
    const found = instrumentIn(row, 0.01)
    return typeof found === 'object' ? [found] : []
  }),
)

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
    instruments: DIRECTORY,
    log,
    budgets: new CallBudgets(limits, clock),
    stateDir: '',
    redirectUrl: FAKE_ACCOUNT.redirectUrl,
    lines: log.lines,
  }
}

/** A fake broker without call limits and a client connected to it, each with a clock of its own. */
export async function startRig(clock?: Clock, fakeClock: Clock | undefined = clock) {
  const fake = await FakeUpstox.start({
    ...(fakeClock && { clock: fakeClock }),
    limits: 'none',
    closesFunds: false,
  })
  const context = contextFor(fake.endpoints, clock)
  return connectedTo({ plugin: upstox, session: SESSION, fake, context })
}
