import { exactQuantity } from '../../money/index.js'
import { parseWith } from '../../validation/index.js'
import type { BrokerAccount } from '../account/positions.js'
import type { OrderInDoubt } from '../journal/journal.js'
import type { AccountReading, PlanTools, Run } from '../multi/kind.js'
import { ordersOf } from '../multi/plans/plan.js'
import { smartOrderPayload } from '../multi/schema.js'
import { currentPositions, SMART_ORDER } from '../multi/smart.js'
import type { OrderPorts } from '../ports.js'
import { type Action, sideOf } from '../schema.js'

/** What a queued smart order would do now. */
export interface SmartTrade {
  /** The signed net position that it would change, once orders at the market are filled. */
  position: number
  /** What it would send; null if it would send nothing. */
  trade: { action: Action; quantity: number } | null
}

interface SmartTradesParts {
  ports: Pick<OrderPorts, 'mode'>
  tools: PlanTools
  /** Reads the books once, as a list does: without the rank of an order, and without its waits. */
  glance(): Promise<BrokerAccount>
  inDoubtNow(): Promise<readonly OrderInDoubt[]>
}

/** Tells what queued smart orders would trade now, by the rule that their approval follows. It sends nothing. */
export class SmartTrades {
  constructor(private readonly parts: SmartTradesParts) {}

  /** Returns the trade of each stored request; undefined where it is not known, or would be refused. */
  async of(userId: string, requests: readonly object[]): Promise<(SmartTrade | undefined)[]> {
    const { glance, inDoubtNow, ports, tools } = this.parts
    const run: Run = { userId, source: 'approval', mode: ports.mode() }
    if (run.mode === 'analyze') return Promise.all(requests.map((request) => tradeOf(request, run, tools)))
    const [account, doubts] = await Promise.all([glance(), inDoubtNow()])
    const reading: AccountReading = {
      account: async () => account,
      inDoubt: async (concerns) => doubts.filter(concerns),
    }
    return Promise.all(requests.map((request) => tradeOf(request, run, { ...tools, ...reading })))
  }
}

async function tradeOf(request: object, run: Run, tools: PlanTools): Promise<SmartTrade | undefined> {
  try {
    const payload = parseWith(smartOrderPayload, request)
    const planned = await SMART_ORDER.plan(payload, run, tools)
    const [now] = await currentPositions([payload], run, tools)
    if (now === undefined) return undefined
    if ('result' in planned) {
      return planned.result.outcome === 'no_action' ? { position: now.current, trade: null } : undefined
    }
    const orders = ordersOf(planned.plan).map(({ order }) => order)
    const [first] = orders
    if (!first) return undefined
    const quantity = orders.reduce((sum, order) => exactQuantity(sum + order.quantity), 0)
    return { position: now.current, trade: { action: sideOf(first.action), quantity } }
  } catch {
    // The approval, and the plan that shows its legs, say why.
    return undefined
  }
}
