import type { BrokerContext, BrokerSession } from '../../../../src/core/brokers/broker.js'
import { CallBudgets } from '../../../../src/core/brokers/kit/budget/call-budgets.js'
import type { RateLimits } from '../../../../src/core/brokers/kit/budget/limits.js'
import { InMemoryDirectory } from '../../../../src/core/instruments/index.js'
import type { Instrument } from '../../../../src/core/instruments/schema.js'
import type { Clock } from '../../../../src/core/time/index.js'
import { ACCOUNT } from '../../../fixtures/invented-broker/fake/routes.js'
import type { FakeInvented } from '../../../fixtures/invented-broker/fake/server.js'
import { invented } from '../../../fixtures/invented-broker/plugin/index.js'
import { type RecordedLine, recordingLogger } from '../../logging/recording-logger.js'

export const SESSION: BrokerSession = {
  accessToken: ACCOUNT.bearer,
  issuedAt: 0,
  extra: { app_id: ACCOUNT.appId },
}

/** A context with the master of the fake, which counts refusals of the session at the socket. */
export async function contextFor(
  fake: FakeInvented,
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
  for await (const batch of invented.instruments.download(SESSION, context)) master.push(...batch)
  return {
    ...context,
    instruments: InMemoryDirectory.of(master),
    budgets: new CallBudgets(limits, clock),
    lines: log.lines,
    refusals: () => refusals,
  }
}
