import type { BrokerContext, BrokerPlugin, BrokerSession } from '../../../../src/core/brokers/broker.js'
import { CallBudgets } from '../../../../src/core/brokers/kit/budget/call-budgets.js'
import type { RateLimits } from '../../../../src/core/brokers/kit/budget/limits.js'
import { InMemoryDirectory } from '../../../../src/core/instruments/index.js'
import type { Instrument } from '../../../../src/core/instruments/schema.js'
import type { Clock } from '../../../../src/core/time/index.js'
import { type RecordedLine, recordingLogger } from '../../logging/recording-logger.js'

interface Tested {
  plugin: Pick<BrokerPlugin, 'instruments'>
  /** Undefined where the master needs none. */
  session: BrokerSession | undefined
  endpoints: Readonly<Record<string, string>>
}

/**
 * A context with the master that the plugin downloads, which records log lines and counts refusals of the session at sockets.
 * Calls wait for no budget unless it has limits.
 */
export async function downloadedContext(
  { endpoints, plugin, session }: Tested,
  clock: Clock,
  limits: RateLimits = {},
): Promise<BrokerContext & { lines: RecordedLine[]; refusals: () => number }> {
  const log = recordingLogger()
  let refusals = 0
  const context = {
    clock,
    endpoints,
    instruments: InMemoryDirectory.of([]),
    log,
    budgets: new CallBudgets({}, clock),
    stateDir: '',
    sessionRefused: () => {
      refusals += 1
    },
  }
  const master: Instrument[] = []
  for await (const batch of plugin.instruments.download(session, context)) master.push(...batch)
  return {
    ...context,
    instruments: InMemoryDirectory.of(master),
    budgets: new CallBudgets(limits, clock),
    lines: log.lines,
    refusals: () => refusals,
  }
}
