import { crashPoint } from '../../../errors/index.js'
import type { Clock } from '../../../time/index.js'
import { endOfError, endOfStop, mayBeSent, type OrderEnd } from '../../end.js'
import type { OrderJournal } from '../../journal/journal.js'
import { RESUME_WITHIN_MS } from '../../pipeline/retry.js'
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

/** How the orders of a plan are sent. */
interface How {
  gated: boolean
  mayWait: boolean
  positions: OwnPositions | undefined
  known?: readonly (OrderEnd | undefined)[]
}

/** Why an order is not sent although it is claimed. */
const KEPT_BACK = {
  doubt: 'Not sent: the outcome of the order before it is not known, so the position is not known.',
  failure: 'Not sent: it opens the other side, and an order before it, which closes, was not placed.',
  change: 'Not sent: the position has changed, or could not be read, since the orders before it were sent.',
  late: 'Not sent: too long after the orders before it, because the machine slept or the broker was slow. The market may have moved.',
} as const

/** How much longer than planned a wave may come after the one before it. */
const LATE_AFTER_MS = 60_000

/** Sends the claimed orders of a plan in its waves, with its pauses. It keeps back what the waves before have made wrong. */
export class Waves {
  constructor(private readonly services: Services) {}

  /**
   * Sends the orders of a plan, and returns the end of each by its position in the plan.
   * @param how `gated`: false for orders that only reduce positions; they may wait for their turns longer. `mayWait`: whether a
   * stop of the service leaves the remaining orders unsent, without an end here. `known`: the ends of the orders that are not to
   * be sent, by position in the plan
   */
  async send(
    plan: BatchPlan,
    claimed: readonly ClaimedOrder[],
    { waves, pauseMs, perPause }: Pacing,
    { gated, mayWait, positions, known = [] }: How,
  ): Promise<(OrderEnd | undefined)[]> {
    const ends = [...known]
    const obstacleTo = obstaclesIn(plan)
    const planned = ordersOf(plan)
    const orders = planned.map(({ order }) => order)
    let sincePause = 0
    let lastAt = this.#reading()
    for (const [index, wave] of waves.entries()) {
      const pause = sincePause > 0 && sincePause + wave.length > perPause ? pauseMs : 0
      if (index > 0 && (await this.#waits(pause, orders, positions))) {
        sincePause = 0
        const next = waves.slice(index).flat().slice(0, perPause)
        if (await this.#dropUnneeded(restOf(plan, next), claimed, ends, positions)) break
      }
      if (mayWait && this.services.stopping.aborted) break
      const now = this.#reading()
      const rest = waves.slice(index).flat()
      const reduces = !gated || rest.every((place) => planned[place]?.closes)
      if (index > 0 && now - lastAt > pause + (reduces ? RESUME_WITHIN_MS : LATE_AFTER_MS)) {
        await this.#endLate(rest, claimed, ends)
        break
      }
      lastAt = now
      sincePause += wave.length
      const places = await this.#sendable(wave, claimed, ends, obstacleTo)
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

  /** Returns the places of a wave whose orders are to be sent. Ends those that the waves before keep back. */
  async #sendable(
    wave: readonly number[],
    claimed: readonly ClaimedOrder[],
    ends: (OrderEnd | undefined)[],
    obstacleTo: ReturnType<typeof obstaclesIn>,
  ): Promise<number[]> {
    const places: number[] = []
    for (const place of wave) {
      const order = ends[place] ? undefined : claimed[place]
      const obstacle = order && obstacleTo(place, ends)
      if (obstacle) ends[place] = await this.#keepBack(order.entry, obstacle)
      else if (order) places.push(place)
    }
    return places
  }

  /** Returns a monotonic reading that counts a sleep of the machine until now. */
  #reading(): number {
    const { clock } = this.services
    // It notes the sleep.
    clock.now()
    return clock.monotonic()
  }

  /** Ends what is left of a plan whose rest would meet another market than its first orders. */
  async #endLate(
    places: readonly number[],
    claimed: readonly ClaimedOrder[],
    ends: (OrderEnd | undefined)[],
  ): Promise<void> {
    for (const place of places) {
      const order = ends[place] ? undefined : claimed[place]
      if (order) ends[place] = await this.#keepBack(order.entry, 'late')
    }
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
    const code = why === 'late' ? 'unavailable' : 'conflict'
    const end = endOfError('not_sent', orderRef, { code, message })
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
