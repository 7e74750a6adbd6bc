import type { Veto } from '../../errors/index.js'
import { refusal, vetoed } from '../engine/acceptance.js'
import { gttIdOf, type OrderIds } from '../engine/order-ids.js'
import type { Runtime } from '../runtime.js'
import type { GttOutcome, GttRequest, GttView } from '../schema.js'
import { type GttTerms, gttTerms, gttView } from './gtt-view.js'
import { cancelGtt, gttsOf, modifyGtt, placeGtt } from './gtts.js'

/** Good-till-triggered orders of the simulated account (docs/sandbox.md). */
export class SandboxGttService {
  readonly #runtime: Runtime
  readonly #ids: OrderIds

  constructor(runtime: Runtime, ids: OrderIds) {
    this.#runtime = runtime
    this.#ids = ids
  }

  /** Returns a new id for {@link place}; an id is never returned twice. */
  newTriggerId(): string {
    return gttIdOf(this.#ids.next())
  }

  /**
   * Places a GTT and blocks its margin. When the `triggerId` is already known, or a `veto` refuses, it places
   * nothing.
   */
  async place(
    userId: string,
    request: GttRequest,
    options: { triggerId?: string; veto?: Veto } = {},
  ): Promise<GttOutcome> {
    const gttId = options.triggerId ?? this.newTriggerId()
    if (options.triggerId !== undefined) {
      await this.#runtime.settled()
      const known = await this.#runtime.store.gtt(gttId)
      if (known) {
        return known.userId === userId
          ? { ok: true, triggerId: gttId }
          : refusal(`Trigger id ${gttId} is taken`, 'conflict')
      }
    }
    const quote = await this.#runtime.quote(request)
    return this.#runtime.decide((engine, decision) => {
      if (engine.state.gtts.has(gttId)) return { ok: true, triggerId: gttId }
      return vetoed(options.veto) ?? placeGtt(engine, { userId, gttId }, request, quote, decision)
    })
  }

  /**
   * Replaces triggers, quantity and prices of an active GTT. When a `veto` refuses, the GTT stays unchanged.
   */
  async modify(
    userId: string,
    triggerId: string,
    request: GttRequest,
    options: { veto?: Veto } = {},
  ): Promise<GttOutcome> {
    const quote = await this.#runtime.quote(request)
    return this.#runtime.decide(
      (engine, decision) =>
        vetoed(options.veto) ?? modifyGtt(engine, { userId, gttId: triggerId }, request, quote, decision),
    )
  }

  cancel(userId: string, triggerId: string): Promise<GttOutcome> {
    return this.#runtime.decide((engine, decision) => cancelGtt(engine, userId, triggerId, decision))
  }

  /** Returns true when the user has ever placed a GTT with this id, according to the disk. */
  async knows(userId: string, triggerId: string): Promise<boolean> {
    await this.#runtime.settled()
    return (await this.#runtime.store.gtt(triggerId))?.userId === userId
  }

  /** Returns what an active GTT is about; undefined when the user has none with this id. Prices in rupees. */
  termsOf(userId: string, triggerId: string): Promise<GttTerms | undefined> {
    return this.#runtime.read((engine) => {
      const gtt = gttsOf(engine.state, userId).find(({ gttId }) => gttId === triggerId)
      return gtt && gttTerms(gtt)
    })
  }

  /** Returns the active GTTs, newest first. */
  async list(userId: string): Promise<GttView[]> {
    const gtts = await this.#runtime.read((engine) =>
      gttsOf(engine.state, userId).map((gtt) => ({ ...gtt, legs: gtt.legs.map((leg) => ({ ...leg })) })),
    )
    const rows = gtts.map(async (gtt) => gttView(gtt, await this.#runtime.glance(gtt)))
    return (await Promise.all(rows)).reverse()
  }
}
