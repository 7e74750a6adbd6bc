import type { LegTerms, QueuedOrder } from '../../approvals/index.js'
import { publicMessageOf } from '../../errors/index.js'
import { sumOfRupees } from '../../money/index.js'
import { parseWith } from '../../validation/index.js'
import { queuedGttPayload, toGttRequest } from '../gtt/schema.js'
import type { AccountReading, Run } from '../multi/kind.js'
import type { MultiOrders } from '../multi/multi-orders.js'
import type { SingleOrders } from '../place/single-orders.js'
import type { OrderPorts } from '../ports.js'
import { messageOfResult, type PreviewedResult } from '../result.js'
import { placeOrderPayload, toOrderRequest } from '../schema.js'
import { type ApprovalLeg, legOf, legsOfGtt, legsOfPlan } from './legs.js'

const SINGLE = 'placeorder'
const GTT = 'placegttorder'

type Checks = PreviewedResult['preview']['checks']

/** One order that an approval would send now. */
export interface PlannedApprovalLeg extends LegTerms {
  /** Why nothing would be sent for it. */
  problem?: string
  lastPrice?: number | undefined
  /** Rupees; undefined when no price is known. */
  value?: number | undefined
  /** The margin in Analyzer mode. A broker gives that of the whole request. */
  margin?: number | undefined
  /** The verdict of every risk rule. */
  checks: Checks
}

/** What an approval would send now. */
export interface PlannedApproval {
  legs: readonly PlannedApprovalLeg[]
  /** True for a GTT: only one of its orders is ever sent. */
  isOneOf: boolean
  /** Why nothing would be sent. */
  note?: string
  /** The value of all legs; undefined when that of one is not known. */
  value: number | undefined
  margin: number | undefined
}

interface PlansParts {
  single: Pick<SingleOrders, 'brokersMargin' | 'preview'>
  multi: Pick<MultiOrders, 'oneReading' | 'open' | 'supports'>
  ports: Pick<OrderPorts, 'mode'>
}

/**
 * Tells what the approval of a queued request would send now: every order with its last price, value, margin and the
 * verdict of each risk rule. It sends and stores nothing.
 */
export class ApprovalPlans {
  constructor(private readonly parts: PlansParts) {}

  /** Returns plans that are computed from one reading of the broker's account: each of their requests would read it anew. */
  together(): (order: QueuedOrder) => Promise<PlannedApproval> {
    const reading = this.parts.multi.oneReading()
    return (order) => this.of(order, reading)
  }

  /** Returns the plan of a request. A request that cannot be planned has no legs, and a note. */
  async of(order: QueuedOrder, reading?: AccountReading): Promise<PlannedApproval> {
    const nothing = { legs: [], value: undefined, margin: undefined, isOneOf: false }
    try {
      const { legs, isOneOf, note } = await this.#legs(order, reading)
      if (note !== undefined) return { ...nothing, note }
      const kind = order.operation === GTT ? 'stored' : 'new'
      const known = new Map<string, Promise<PlannedApprovalLeg>>()
      const seen: PlannedApprovalLeg[] = []
      for (const leg of legs) {
        // The parts of a split order are equal.
        const key = JSON.stringify(leg)
        const described = known.get(key) ?? this.#described(order.userId, leg, kind)
        known.set(key, described)
        seen.push(await described)
      }
      return { legs: seen, isOneOf, value: worthOf(seen, isOneOf), margin: await this.#margin(seen, legs) }
    } catch (error) {
      return { ...nothing, note: publicMessageOf(error) }
    }
  }

  async #legs(
    { operation, payload, userId }: QueuedOrder,
    reading: AccountReading | undefined,
  ): Promise<{ legs: readonly ApprovalLeg[]; isOneOf: boolean; note?: string }> {
    if (operation === GTT) {
      return { legs: legsOfGtt(toGttRequest(parseWith(queuedGttPayload, payload))), isOneOf: true }
    }
    if (operation === SINGLE) return { legs: [legOf(parseWith(placeOrderPayload, payload))], isOneOf: false }
    const { multi, ports } = this.parts
    if (!multi.supports(operation)) {
      return { legs: [], isOneOf: false, note: `Orders of type ${operation} cannot be executed.` }
    }
    const run: Run = { userId, source: 'approval', mode: ports.mode() }
    const planned = await multi.open(operation, { ...payload }).plan(run, reading)
    if ('result' in planned) return { legs: [], isOneOf: false, note: messageOfResult(planned.result) }
    return { legs: legsOfPlan(planned.plan), isOneOf: false }
  }

  async #described(
    userId: string,
    { order, shown }: ApprovalLeg,
    kind: 'new' | 'stored',
  ): Promise<PlannedApprovalLeg> {
    if (!order) return { ...shown, checks: [] }
    const context = { userId, source: 'approval' } as const
    const result = await this.parts.single.preview(order, context, { brokersMargin: false, kind })
    if (result.outcome !== 'previewed') return { ...shown, problem: result.message, checks: [] }
    const { checks, lastPrice, margin, value } = result.preview
    return { ...shown, lastPrice, value, margin, checks }
  }

  /** Returns the margin of all orders together: a broker counts hedges. */
  async #margin(
    seen: readonly PlannedApprovalLeg[],
    legs: readonly ApprovalLeg[],
  ): Promise<number | undefined> {
    const { ports, single } = this.parts
    if (ports.mode() === 'analyze') {
      const margins = seen.filter(({ problem }) => problem === undefined).map(({ margin }) => margin)
      return margins.some((margin) => margin === undefined)
        ? undefined
        : sumOfRupees(margins.map((margin) => margin ?? 0))
    }
    const orders = legs.flatMap(({ order }) => (order ? [toOrderRequest(order)] : []))
    return orders.length === 0 ? undefined : single.brokersMargin(orders)
  }
}

function worthOf(legs: readonly PlannedApprovalLeg[], isOneOf: boolean): number | undefined {
  const sent = legs.filter(({ problem }) => problem === undefined)
  if (sent.some(({ value }) => value === undefined)) return undefined
  const values = sent.map(({ value }) => value ?? 0)
  return isOneOf ? Math.max(0, ...values) : sumOfRupees(values)
}
