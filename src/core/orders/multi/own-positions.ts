import { exactQuantity } from '../../money/index.js'
import type { Clock } from '../../time/index.js'
import { untilFilled } from '../account/positions.js'
import { mayBeSent, type OrderEnd } from '../end.js'
import type { KeyedQueue } from '../keyed-queue.js'
import { type OrderPayload, sideOf } from '../schema.js'
import { type PlanTools, type Run, slotOf } from './kind.js'
import type { BatchPlan } from './plans/plan.js'
import { currentPositions, positionFor, waitingTerms } from './smart.js'

/**
 * A close or a flip in pieces stands aside so long for an exit of a strategy that wants to leave. An exit waits a second for the
 * comparison of its account, and one that sells a second and a half for those that buy.
 */
const EXIT_GOES_FIRST_MS = 3_000

/** The positions that orders were computed from. */
export interface OwnPositions {
  /**
   * Returns for each leg whether its position still needs all of its unsent orders beside those that wait with the same terms
   * already, from one reading of the account.
   */
  stillNeed(legs: readonly (readonly OrderPayload[])[]): Promise<boolean[]>
  /**
   * Waits between two pieces, and lets exits of strategies go first that want to leave.
   * @returns whether it waited: the positions may be others then
   */
  giveWay(orders: readonly OrderPayload[], pauseMs: number): Promise<boolean>
}

/** Returns the positions of a request that brings each of them to a target. */
export function ownPositions(
  target: number,
  run: Run,
  { clock, slots, tools }: { clock: Clock; slots: KeyedQueue; tools: PlanTools },
): OwnPositions {
  return {
    stillNeed: async (legs) => {
      const refs = legs.flatMap(([first]) => first ?? [])
      const positions = await currentPositions(refs, run, tools)
      return Promise.all(
        legs.map(async (unsent, leg) => {
          const [first] = unsent
          const position = positions[leg]
          if (!first || position === undefined) return false
          const change = exactQuantity(target - positionFor(target, position, first.product))
          const needed = sideOf(first.action) === 'BUY' ? change : -change
          const size = unsent.reduce((sum, { quantity }) => exactQuantity(sum + quantity), 0)
          return exactQuantity(size + (await position.waitingAlike(waitingTerms(first)))) <= needed
        }),
      )
    },
    giveWay: async (orders, pauseMs) => {
      const keys = [...new Set(orders.map(slotOf))]
      if (pauseMs === 0 && !slots.isAsked(keys)) return false
      // An exit learns what the pieces before have filled, and sells only the rest.
      if (run.mode === 'live') await untilFilled(orders, tools.broker, clock)
      await slots.standAside(keys, clock.sleep(pauseMs), () => clock.sleep(EXIT_GOES_FIRST_MS))
      return true
    },
  }
}

/** Returns the ends of the unsent orders that are still wanted, by position in the plan. */
export async function wantedOf(
  { legs }: BatchPlan,
  history: readonly OrderEnd[],
  positions: OwnPositions | undefined,
): Promise<(OrderEnd | undefined)[]> {
  const sendable = history.map((end) => (mayBeSent(end) ? end : undefined))
  if (!positions) return sendable
  let from = 0
  const unsent = legs.flatMap(({ orders }) => {
    const places = orders.map(({ order }, index) => ({ place: from + index, order }))
    from += orders.length
    const left = places.filter(({ place }) => sendable[place])
    return left.length === 0 ? [] : [left]
  })
  if (unsent.length === 0) return sendable
  const needed = await positions.stillNeed(unsent.map((leg) => leg.map(({ order }) => order)))
  for (const { place } of unsent.filter((_, leg) => !needed[leg]).flat()) sendable[place] = undefined
  return sendable
}
