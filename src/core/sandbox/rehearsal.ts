import { type OrderRequest, quoteNeedsOf } from '../orders/schema.js'
import { sessionDate } from '../time/index.js'
import { draftOf, refusal } from './engine/acceptance.js'
import type { Engine } from './engine/engine.js'
import type { Runtime, SandboxOptions } from './runtime.js'
import type { PreviewOutcome } from './schema.js'
import { Changes } from './storage/changes.js'

/**
 * Decides on orders one after the other, as if each was placed: it meets the funds and the positions that those before it
 * leave. All of it happens on a copy of the account.
 */
export class Rehearsal {
  private constructor(
    private readonly userId: string,
    private readonly runtime: Runtime,
    private readonly instruments: SandboxOptions['instruments'],
    private readonly engine: Engine,
  ) {}

  static async open(
    userId: string,
    runtime: Runtime,
    instruments: SandboxOptions['instruments'],
  ): Promise<Rehearsal> {
    return new Rehearsal(userId, runtime, instruments, await runtime.onCopyOf(userId))
  }

  /** Returns what would become of an order, and keeps its effect for the next one. */
  async preview(order: OrderRequest): Promise<PreviewOutcome> {
    const { engine, instruments, runtime, userId } = this
    const draft = draftOf(order, instruments)
    if ('message' in draft) return refusal(draft.message)
    const quote = await runtime.quote(order, quoteNeedsOf(order))
    const now = runtime.clock.now()
    const decision = { changes: new Changes(), now, session: sessionDate(now) }
    const outcome = engine.preview(userId, draft, quote, decision)
    if (outcome.ok) engine.place({ userId, orderId: engine.nextOrderId() }, draft, quote, decision)
    return outcome
  }
}
