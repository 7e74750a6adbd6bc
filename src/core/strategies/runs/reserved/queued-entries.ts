import type { Refusal } from '../../../errors/index.js'
import { isOtherAccount } from '../../../orders/index.js'
import type { ActiveRun } from '../active-run.js'
import { changeOfState } from '../order-news.js'
import type { RunPorts } from '../ports.js'
import type { RunStore } from '../store/run-store.js'

interface QueuedParts extends Pick<RunPorts, 'broker' | 'clock' | 'orders'> {
  store: RunStore
  /** Returns the run in memory that placed an order. */
  runOf(orderRef: string): ActiveRun | undefined
}

const NO_RUN: Refusal = {
  code: 'conflict',
  message: 'The order belongs to a run that is over or reserved. Nobody would manage its position.',
}

/** A sale that would stand there without its hedge. */
const NO_HEDGE: Refusal = {
  code: 'conflict',
  message:
    'An order to buy of the same start ended without a fill. The sale would stand there without its hedge.',
}

/** The entries of live runs that wait for approval. One is sent only while its run goes on. */
export class QueuedEntries {
  readonly #parts: QueuedParts

  constructor(parts: QueuedParts) {
    this.#parts = parts
  }

  /** Refuses the approval of an entry that no run wants any more. */
  guard(): void {
    this.#parts.orders.guardEntries({
      ready: async (orderRef) => this.#parts.runOf(orderRef)?.settledHedgeOf(orderRef),
      refusalOf: (orderRef) =>
        this.#refusalOf(orderRef) ?? this.#refusalByAccount(orderRef) ?? this.#refusalByHedge(orderRef),
    })
  }

  /** A sale whose hedge has not left yet is only not approved now. */
  #refusalByHedge(orderRef: string): Refusal | undefined {
    if (this.#parts.runOf(orderRef)?.hedgeOf(orderRef) !== 'waiting') return undefined
    const message =
      'An order to buy of the same start has not been sent, or nobody knows whether it was. It comes first.'
    return { code: 'conflict', message }
  }

  /** An entry that waits for the account of its run is only not approved: the account may be signed in again. */
  #refusalByAccount(orderRef: string): Refusal | undefined {
    const { broker, runOf } = this.#parts
    const { accountId } = runOf(orderRef)?.definition ?? {}
    if (!isOtherAccount(broker, accountId)) return undefined
    const message = `The order belongs to a run at the account ${accountId}, and ${broker.accountId} is signed in.`
    return { code: 'conflict', message }
  }

  #refusalOf(orderRef: string): Refusal | undefined {
    const run = this.#parts.runOf(orderRef)
    if (!run || run.hasEnded) return NO_RUN
    if (run.state === 'running') return run.hedgeOf(orderRef) === 'missing' ? NO_HEDGE : undefined
    return { code: 'conflict', message: `The order belongs to run ${run.runId}, which is stopping.` }
  }

  /** Rejects the entries that no run wants any more. */
  async rejectUnwanted(): Promise<void> {
    const { clock, orders, store } = this.#parts
    const rejected: string[] = []
    for (const waiting of await orders.waiting()) {
      const refusal = this.#refusalOf(waiting.orderRef)
      if (refusal && (await orders.withdraw(waiting, refusal.message))) rejected.push(waiting.orderRef)
    }
    const states = rejected.length === 0 ? [] : await orders.statesOf(rejected)
    await store.changeOrders(states.map(changeOfState), clock.now())
  }
}
