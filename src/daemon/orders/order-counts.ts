import type { LegResult, OrderEvent, OrderResult, SingleResult } from '../../core/orders/index.js'
import type { TradingMode } from '../../core/trading/index.js'

/** The kind of an order request: it places, modifies or cancels an order. */
type Act = 'place' | 'modify' | 'cancel'
type OrderOutcome = 'accepted' | 'refused' | 'in_doubt' | 'no_action'

/** The number of orders of one kind since the start. */
export interface OrderCount {
  mode: TradingMode
  act: Act
  outcome: OrderOutcome
  count: number
}

const ACTS: ReadonlyMap<string, Act> = new Map([
  ['modifyorder', 'modify'],
  ['modifygttorder', 'modify'],
  ['cancelorder', 'cancel'],
  ['cancelallorder', 'cancel'],
  ['cancelgttorder', 'cancel'],
])

/** Counts orders by outcome. The order path adds to it and never waits for a reader. */
export class OrderCounts {
  readonly #counts = new Map<string, OrderCount>()

  /** Adds the orders of an event. A settled order in doubt was counted when its request ended. */
  add(event: OrderEvent): void {
    if (event.topic === 'order.in_doubt') return
    const { api_type, mode } = event.facts
    const act = ACTS.get(api_type) ?? 'place'
    for (const [outcome, count] of outcomesOf(event.result)) this.#add({ mode, act, outcome, count })
  }

  list(): readonly OrderCount[] {
    return [...this.#counts.values()]
  }

  #add(added: OrderCount): void {
    if (added.count === 0) return
    const key = `${added.mode} ${added.act} ${added.outcome}`
    const known = this.#counts.get(key)
    if (known) known.count += added.count
    else this.#counts.set(key, { ...added })
  }
}

type Outcomes = readonly (readonly [outcome: OrderOutcome, count: number])[]

function outcomesOf(result: OrderResult): Outcomes {
  switch (result.outcome) {
    case 'executed':
    case 'sliced':
      return result.legs.flatMap(outcomesOfLeg)
    case 'closed':
      return result.legs?.flatMap(outcomesOfLeg) ?? [['accepted', result.closed]]
    case 'all_cancelled':
      return [
        ['accepted', result.cancelled.length],
        ['refused', result.failed.length],
      ]
    case 'changed':
      return [['accepted', 1]]
    case 'no_action':
      return [['no_action', 1]]
    case 'placed':
    case 'refused':
    case 'not_sent':
    case 'in_doubt':
      return [[outcomeOf(result), 1]]
    default:
      return []
  }
}

function outcomesOfLeg({ orders, problem }: LegResult): Outcomes {
  if (problem !== undefined) return [['refused', 1]]
  return orders.flatMap(({ result }) => outcomesOf(result))
}

function outcomeOf({ outcome }: SingleResult): OrderOutcome {
  if (outcome === 'placed') return 'accepted'
  return outcome === 'in_doubt' ? 'in_doubt' : 'refused'
}
