import { crashPoint } from '../../../errors/index.js'
import type { Clock } from '../../../time/index.js'
import { endOfError, endOfStop, mayBeSent, type OrderEnd } from '../../end.js'
import type { OrderJournal } from '../../journal/journal.js'
import type { ClaimedOrder } from '../../place/claimed-order.js'
import type { OrderExecution } from '../../place/execution.js'
import type { OrderPayload } from '../../schema.js'
import type { OwnPositions } from '../own-positions.js'
import { obstaclesIn, restOf } from './pieces.js'
import { type BatchPlan, ordersOf, type Pacing } from './plan.js'

/** The services that sending uses. */
interface Services {
  clock: Clock
  journal: OrderJournal
  execution: OrderExecution
  /** Aborted once the service stops. */
  stopping: AbortSignal
}

/** Why an order is not sent although it is claimed. */
const KEPT_BACK = {
  doubt: 'Not sent: the outcome of the order before it is not known, so the position is not known.',
  failure: 'Not sent: it opens the other side, and an order before it, which closes, was not placed.',
  change: 'Not sent: the position has changed, or could not be read, since the orders before it were sent.',
} as const

/** Sends the claimed orders of a plan in its waves, with its pauses. It keeps back what the waves before have made wrong. */
export class Waves {
  constructor(private readonly services: Services) {}

  /**
   * Sends the orders of a plan, and returns the end of each by its position in the plan.
   * @param how `mayWait`: whether a stop of the service leaves the remaining orders unsent, without an end here. `known`: the
   * ends of the orders that are not to be sent, by position in the plan
   */
  async send(
    plan: BatchPlan,
    claimed: readonly ClaimedOrder[],
    { waves, pauseMs, perPause }: Pacing,
    {
      mayWait,
      positions,
      known = [],
    }: { mayWait: boolean; positions: OwnPositions | undefined; known?: readonly (OrderEnd | undefined)[] },
  ): Promise<(OrderEnd | undefined)[]> {
    const ends = [...known]
    const obstacleTo = obstaclesIn(plan)
    const orders = ordersOf(plan).map(({ order }) => order)
    let sincePause = 0
    for (const [index, wave] of waves.entries()) {
      const pause = sincePause > 0 && sincePause + wave.length > perPause ? pauseMs : 0
      if (index > 0 && (await this.#waits(pause, orders, positions))) {
        sincePause = 0
        const next = waves.slice(index).flat().slice(0, perPause)
        if (await this.#dropUnneeded(restOf(plan, next), claimed, ends, positions)) break
      }
      if (mayWait && this.services.stopping.aborted) break
      sincePause += wave.length
      const places: number[] = []
      for (const place of wave) {
        const order = ends[place] ? undefined : claimed[place]
        const obstacle = order && obstacleTo(place, ends)
        if (obstacle) ends[place] = await this.#keepBack(order.entry, obstacle)
        else if (order) places.push(place)
      }
      const sent = places.flatMap((place) => claimed[place] ?? [])
      const executed = await this.services.execution.all(index === 0 ? sent : sent.map(startingNow))
      for (const [nth, place] of places.entries()) {
        const end = executed[nth]
        if (end) ends[place] = end
      }
      if (executed.some(mayBeSent)) break
      crashPoint('orders.batch.midway')
    }
    return ends
  }

  async #waits(
    pauseMs: number,
    orders: readonly OrderPayload[],
    positions: OwnPositions | undefined,
  ): Promise<boolean> {
    if (positions) return positions.giveWay(orders, pauseMs)
    if (pauseMs > 0) await this.services.clock.sleep(pauseMs)
    return pauseMs > 0
  }

  /**
   * Ends what is left of legs whose position does not need all of it any more: it could open the other side.
   * @returns true when the stop of the service leaves it, and all after it, unsent: the account cannot be read any more
   */
  async #dropUnneeded(
    rest: ReturnType<typeof restOf>,
    claimed: readonly ClaimedOrder[],
    ends: (OrderEnd | undefined)[],
    positions: OwnPositions | undefined,
  ): Promise<boolean> {
    const legs = rest
      .map((leg) =>
        leg.flatMap(({ place, order }) => {
          const left = ends[place] ? undefined : claimed[place]
          return left ? [{ place, order, claim: left }] : []
        }),
      )
      .filter((leg) => leg.length > 0)
    if (!positions || legs.length === 0) return false
    // A position that cannot be read is not traded on.
    const needed = await positions
      .stillNeed(legs.map((leg) => leg.map(({ order }) => order)))
      .catch(() => undefined)
    const isStopping = legs.some((leg) => leg.some(({ claim }) => claim.stopping?.aborted))
    if (needed === undefined && isStopping) return true
    for (const { place, claim } of legs.filter((_, leg) => !needed?.[leg]).flat()) {
      ends[place] = await this.#keepBack(claim.entry, 'change')
    }
    return false
  }

  /**
   * Ends an order that is not sent. After a doubt a retry may send it, once the doubt is settled. If the journal cannot be
   * written now, recovery closes the row at the next start.
   */
  async #keepBack({ mode, orderRef }: ClaimedOrder['entry'], why: keyof typeof KEPT_BACK): Promise<OrderEnd> {
    const { journal } = this.services
    const message = KEPT_BACK[why]
    if (why === 'doubt') {
      await journal.takeBack(orderRef, message).catch(() => false)
      return endOfStop(orderRef, message)
    }
    const end = endOfError('not_sent', orderRef, { code: 'conflict', message })
    if (mode === 'analyze') return end
    const detail = { endCause: 'not_sent', reason: message, end } as const
    await journal.move(orderRef, 'rejected', detail).catch(() => undefined)
    return end
  }
}

/** Returns an order without the wait for the orders before it, which is no part of its own latency. */
function startingNow({ caller, ...order }: ClaimedOrder): ClaimedOrder {
  if (!caller) return order
  const { startedAt: _, ...rest } = caller
  return { ...order, caller: rest }
}
