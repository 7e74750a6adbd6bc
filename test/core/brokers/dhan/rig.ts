import type { BrokerSession } from '../../../../src/core/brokers/broker.js'
import { dhan } from '../../../../src/core/brokers/dhan/index.js'
import type { RateLimits } from '../../../../src/core/brokers/kit/budget/limits.js'
import { type Clock, VirtualClock } from '../../../../src/core/time/index.js'
import { ACCOUNT, FakeDhan } from '../../../fixtures/fake-dhan/server.js'
import { connectedTo } from '../conformance/connected.js'
import { downloadedContext } from '../conformance/context.js'

export { orderOf } from '../conformance/orders.js'

export const SECRETS = [ACCOUNT.accessToken, ACCOUNT.pin, ACCOUNT.totpSecret]

export const FRIDAY_10 = '2025-09-12T10:00:00.700+05:30'

export const SESSION: BrokerSession = {
  accessToken: ACCOUNT.accessToken,
  issuedAt: 0,
  extra: { client_id: ACCOUNT.clientId },
}

/** A context with the master of the fake, which counts refusals of the session at the sockets. */
export function contextFor(fake: FakeDhan, clock: Clock, limits: RateLimits = {}) {
  return downloadedContext({ plugin: dhan, session: undefined, endpoints: fake.endpoints }, clock, limits)
}

/** A fake broker without call limits and a client connected to it, on one clock. */
export async function startRig(at = FRIDAY_10) {
  const clock = new VirtualClock(at)
  const fake = await FakeDhan.start({ clock, limits: 'none' })
  const context = await contextFor(fake, clock)
  return { clock, ...connectedTo({ plugin: dhan, session: SESSION, fake, context }) }
}
