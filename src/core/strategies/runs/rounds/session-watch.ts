import { eventOf } from '../../engine/texts.js'
import type { ActiveRun } from '../active-run.js'
import type { RunPorts } from '../ports.js'

/**
 * Tells a live run that its orders in doubt are settled since the broker has a session again. Without a session nobody
 * could ask the broker for them.
 */
export class SessionWatch {
  readonly #broker: RunPorts['broker']
  /** The orders that were in doubt while their broker had no session. */
  readonly #doubts = new Map<ActiveRun, Set<string>>()

  constructor(broker: RunPorts['broker']) {
    this.#broker = broker
  }

  /** Looks at the live runs. Called every few seconds. */
  look(runs: readonly ActiveRun[]): void {
    const isReady = this.#isReady()
    for (const run of runs) {
      if (run.definition.mode === 'live' && !(isReady && run.broker === this.#broker.brokerId))
        this.#note(run)
    }
    if (!isReady) return
    for (const [run, orders] of this.#doubts) {
      const open = new Set(run.ordersInDoubt)
      if ([...orders].some((id) => open.has(id))) continue
      this.#doubts.delete(run)
      // A person settled the orders while another broker was active.
      if (run.broker !== this.#broker.brokerId) continue
      const text = `Broker session restored; the outcome of ${orders.size} order(s) in doubt is known now`
      const payload = { orders: [...orders] }
      run.perform([
        { type: 'event', event: eventOf('recovery_succeeded', text, { severity: 'warn', payload }) },
      ])
    }
  }

  #note(run: ActiveRun): void {
    if (run.ordersInDoubt.length === 0) return
    this.#doubts.set(run, new Set([...(this.#doubts.get(run) ?? []), ...run.ordersInDoubt]))
  }

  #isReady(): boolean {
    try {
      this.#broker.requireReady()
      return true
    } catch {
      return false
    }
  }
}
