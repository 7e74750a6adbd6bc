import { BrokerError } from '../../brokers/broker.js'
import { ServiceError } from '../../errors/index.js'
import { formatMoney, orderValue, sumOfRupees, toMoney } from '../../money/index.js'
import type { RiskGate } from '../../risk/index.js'
import type { Clock } from '../../time/index.js'
import { isAboutChanges } from '../change/risk-check.js'
import type { OrderJournal } from '../journal/journal.js'
import type { Claims } from '../pipeline/claims.js'
import type { Pipeline } from '../pipeline/pipeline.js'
import type {
  LiveOrders,
  OrderPorts,
  PlaceContext,
  QueuePort,
  SandboxExecution,
  SandboxRehearsal,
} from '../ports.js'
import { publishPlaced } from '../publish/publish.js'
import {
  isPassed,
  markedWith,
  type OrderResult,
  type PreviewedOrders,
  type PreviewedResult,
  refusal,
  type UnplacedResult,
} from '../result.js'
import {
  FOREIGN_PRODUCTS,
  ignoredTexts,
  type OrderPayload,
  type OrderRequest,
  type PlaceOrderPayload,
  placeOrderPayload,
  quoteNeedsOf,
  toOrderRequest,
} from '../schema.js'
import type { OrderExecution } from './execution.js'
import { fieldProblem } from './field-rules.js'
import { instrumentProblem } from './instrument-check.js'
import { lackRefusal } from './lack.js'
import { OneOrder, type OneOrderKind } from './one-order.js'
import { unlistedRefusal } from './unlisted.js'

const PLACE = 'placeorder'

interface SingleOrdersParts {
  claims: Claims
  clock: Clock
  journal: OrderJournal
  pipeline: Pipeline
  risk: RiskGate
  sandbox: SandboxExecution
  broker: LiveOrders
  execution: OrderExecution
  queue: QueuePort
  ports: OrderPorts
}

/** The most orders of one request whose margin a broker is asked for. */
const MOST_MARGINED = 50

/** How an order is previewed. */
interface PreviewOptions {
  brokersMargin?: boolean
  kind?: 'new' | 'stored' | 'change' | 'close'
  before?: OrdersBefore
}

/** The orders of the same request that would be sent before an order. */
interface OrdersBefore {
  count: number
  /** The simulated account that they leave; absent in Live mode. */
  account: SandboxRehearsal | undefined
}

/** Returns the kind of request that becomes the order that it names. */
function singleOrder({
  broker,
  ports,
  sandbox,
}: Pick<SingleOrdersParts, 'broker' | 'ports' | 'sandbox'>): OneOrderKind<PlaceOrderPayload> {
  return {
    operation: PLACE,
    isGtt: false,
    queued: placeOrderPayload,
    lacking: (payload, mode) => lackRefusal(mode, broker, payload),
    problem: fieldProblem,
    order: toOrderRequest,
    newSimulatedId: () => sandbox.newOrderId(),
    isSimulated: async (userId, orderId) => (await sandbox.statusOf(userId, orderId)) !== undefined,
    publish: ({ mode, operation, result, userId }, payload) =>
      publishPlaced(ports, { mode, userId, operation, request: payload, result }, payload),
  }
}

/** Single orders of the API and of workflows. */
export class SingleOrders {
  /** How one is executed. */
  readonly order: OneOrder<PlaceOrderPayload>
  readonly #parts: SingleOrdersParts

  constructor(parts: SingleOrdersParts) {
    this.#parts = parts
    this.order = new OneOrder(singleOrder(parts), parts)
  }

  /** Queues, simulates or sends one order, as the order mode and the trading mode say. */
  place(payload: PlaceOrderPayload, context: PlaceContext): Promise<OrderResult> {
    return this.#parts.pipeline.submit(this.order, payload, context)
  }

  /**
   * Returns the value of an order in rupees; undefined without a price. Executes nothing.
   * @throws ServiceError `not_found` for an instrument that is not listed
   */
  async valueOf(payload: OrderPayload): Promise<number | undefined> {
    const { ports } = this.#parts
    const order = toOrderRequest(payload)
    const unlisted = await unlistedRefusal(ports, order)
    if (unlisted) throw new ServiceError('not_found', unlisted.message)
    return valueAt(order, order.price || order.triggerPrice || (await ports.quote(order)), ports)
  }

  /**
   * Returns what an order would do: mode, value, margin and the verdict of every risk rule. Executes nothing.
   * @param options `brokersMargin`: false leaves out the margin that the broker would have to be asked for. `kind`: a change
   * and a close pass fewer rules than a new order, and need no margin of their own; a stored order is sent on a later day,
   * which has a price band of its own. `before`: what the rest of its request would do first
   */
  async preview(
    payload: OrderPayload,
    context: PlaceContext,
    { before, brokersMargin = true, kind = 'new' }: PreviewOptions = {},
  ): Promise<PreviewedResult | UnplacedResult> {
    const { broker, ports, queue, risk, sandbox } = this.#parts
    const isStored = kind === 'stored'
    const isNew = kind === 'new' || isStored
    // A close in a product that nobody can open was planned from the position itself.
    const isForeign = FOREIGN_PRODUCTS.some((product) => product === payload.product)
    const problem = isNew && !isForeign ? fieldProblem(payload) : undefined
    if (problem) return refusal('validation', problem)
    const order = toOrderRequest(payload)
    const mode = ports.mode()
    const unlisted = await unlistedRefusal(ports, order)
    if (unlisted) return markedWith(mode, unlisted)
    const lastPrice = await ports.quote(order, quoteNeedsOf(order))
    const checks = kind === 'close' ? [] : await risk.explain(context.userId, mode, order, before?.count)
    // What the gate refuses never reaches the account.
    const account = checks.every(({ ok }) => ok) ? before?.account : undefined
    const simulated =
      isNew && mode === 'analyze'
        ? await (account?.preview(order) ?? sandbox.preview(context.userId, order, { isStored }))
        : undefined
    const instrument = ports.instrument(order)
    const band = isStored ? undefined : ports.priceBand(order)
    const unfit =
      instrumentProblem(order, instrument, { lastPrice, band }) ??
      lackRefusal(mode, broker, payload)?.message ??
      (mode === 'live' ? await this.#unsettledAtBroker(order) : undefined)
    return {
      outcome: 'previewed',
      preview: {
        mode: queue.shouldQueue(context.userId, PLACE, context.source) ? 'semi_auto' : mode,
        order: payload,
        lastPrice,
        value: valueAt(order, order.price || order.triggerPrice || lastPrice, ports),
        margin: simulated
          ? (simulated.margin ?? undefined)
          : brokersMargin && isNew
            ? await this.brokersMargin([order])
            : undefined,
        checks: [
          ...checks.filter(({ rule }) => isNew || isAboutChanges(rule)),
          simulated
            ? { rule: 'sandbox', ok: !simulated.refusal, message: simulated.refusal }
            : { rule: 'instrument', ok: !unfit, ...(unfit !== undefined && { message: unfit }) },
        ],
        notes: ignoredTexts(payload.pricetype, { price: payload.price, trigger: payload.trigger_price }),
      },
    }
  }

  /**
   * Previews the orders of one request, in the order in which they would be sent: each counts those before it that would be
   * placed, and meets the simulated account that they leave. Executes nothing.
   */
  async previewAll(orders: readonly OrderPayload[], context: PlaceContext): Promise<PreviewedOrders> {
    const { ports, sandbox } = this.#parts
    const account = ports.mode() === 'analyze' ? await sandbox.rehearse(context.userId) : undefined
    const previews: PreviewedOrders['previews'][number][] = []
    const placed: PreviewedResult[] = []
    for (const order of orders) {
      const before = { count: placed.length, account }
      const preview = await this.preview(order, context, { brokersMargin: false, before })
      previews.push(preview)
      if (isPassed(preview)) placed.push(preview)
    }
    return { previews, margin: await this.#marginOf(placed, account !== undefined) }
  }

  /** Returns the margin of orders together; undefined when it is not known. */
  async #marginOf(placed: readonly PreviewedResult[], isSimulated: boolean): Promise<number | undefined> {
    if (placed.length === 0) return 0
    if (!isSimulated) return this.brokersMargin(placed.map(({ preview }) => toOrderRequest(preview.order)))
    const margins = placed.flatMap(({ preview }) => preview.margin ?? [])
    return margins.length === placed.length ? sumOfRupees(margins) : undefined
  }

  /** Returns why the broker's plugin would not send an order in this contract; undefined if it would, or if nobody knows. */
  async #unsettledAtBroker(order: OrderRequest): Promise<string | undefined> {
    try {
      await this.#parts.broker.client().orders.preparePlace?.(order)
      return undefined
    } catch (error) {
      return error instanceof BrokerError && error.kind === 'unsupported' ? error.message : undefined
    }
  }

  /**
   * Returns the margin that the broker would block for orders together, which may hedge each other; undefined when it gives
   * none. A preview works without it.
   */
  async brokersMargin(orders: readonly OrderRequest[]): Promise<number | undefined> {
    if (orders.length > MOST_MARGINED) return undefined
    try {
      return (await this.#parts.broker.client().margins?.estimate(orders))?.total
    } catch {
      return undefined
    }
  }
}

function valueAt(
  order: OrderRequest,
  price: number | undefined,
  { instrument }: Pick<OrderPorts, 'instrument'>,
): number | undefined {
  if (price === undefined) return undefined
  return Number(formatMoney(orderValue(toMoney(price), order.quantity, instrument(order)?.contractValue)))
}
