import { angel } from '../../../../src/core/brokers/angel/index.js'
import type { BrokerSession } from '../../../../src/core/brokers/broker.js'
import type { RateLimits } from '../../../../src/core/brokers/kit/budget/limits.js'
import { type Clock, SystemClock } from '../../../../src/core/time/index.js'
import { ACCOUNT, FakeAngel } from '../../../fixtures/fake-angel/server.js'
import { connectedTo } from '../conformance/connected.js'
import { downloadedContext } from '../conformance/context.js'

export { orderOf, until } from '../conformance/orders.js'

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
export function contextFor(fake: FakeAngel, clock: Clock = new SystemClock(), limits: RateLimits = {}) {
  return downloadedContext({ plugin: angel, session: undefined, endpoints: fake.endpoints }, clock, limits)
}

/** A fake broker without call limits and a client connected to it, each with a clock of its own. */
export async function startRig(clock?: Clock, fakeClock: Clock | undefined = clock) {
  const fake = await FakeAngel.start({ ...(fakeClock && { clock: fakeClock }), limits: 'none' })
  const context = await contextFor(fake, clock)
  return { refusals: context.refusals, ...connectedTo({ plugin: angel, session: SESSION, fake, context }) }
}
