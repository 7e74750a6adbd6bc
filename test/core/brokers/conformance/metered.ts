import type { BrokerClient } from '../../../../src/core/brokers/broker.js'
import type { CallBudgets } from '../../../../src/core/brokers/kit/budget/call-budgets.js'
import type { VirtualClock } from '../../../../src/core/time/index.js'
import type { Metered } from './rig.js'
import { settledMeanwhile } from './settled.js'

interface MeteredFake {
  requests: { readonly length: number }
  calls: { readonly violations: readonly unknown[] }
  stop(): Promise<void>
}

/** A client of a fake that counts calls, both on one clock; the end of the client stops the fake. */
export function meteredOn(
  fake: MeteredFake,
  client: BrokerClient,
  { budgets, clock }: { budgets: CallBudgets; clock: VirtualClock },
): Metered {
  return {
    client: {
      ...client,
      async close() {
        await client.close()
        await fake.stop()
      },
    },
    budgets,
    settled: (calls) => settledMeanwhile(clock, () => fake.requests.length, calls),
    violations: () => fake.calls.violations,
  }
}
