import type { BrokerSession } from '../../../../src/core/brokers/broker.js'
import type { RateLimits } from '../../../../src/core/brokers/kit/budget/limits.js'
import type { Clock } from '../../../../src/core/time/index.js'
import { ACCOUNT } from '../../../fixtures/invented-broker/fake/routes.js'
import type { FakeInvented } from '../../../fixtures/invented-broker/fake/server.js'
import { invented } from '../../../fixtures/invented-broker/plugin/index.js'
import { downloadedContext } from '../conformance/context.js'

export const SESSION: BrokerSession = {
  accessToken: ACCOUNT.bearer,
  issuedAt: 0,
  extra: { app_id: ACCOUNT.appId },
}

/** A context with the master of the fake, which counts refusals of the session at the socket. */
export function contextFor(fake: FakeInvented, clock: Clock, limits: RateLimits = {}) {
  return downloadedContext({ plugin: invented, session: SESSION, endpoints: fake.endpoints }, clock, limits)
}
