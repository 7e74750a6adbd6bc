import type { ApprovalResult } from '../approvals/schema.js'
import type { BrokerOrder } from '../brokers/broker.js'
import type { RiskGate } from '../risk/index.js'
import type { Database } from '../storage/index.js'
import type { Clock } from '../time/index.js'
import { withPlacedTypes } from './account/placed-types.js'
import { accountAt, afterEndings, type BrokerAccount, isUncertain } from './account/positions.js'
import { ApprovedBatch } from './approval/approved-batch.js'
import { ApprovedOrder } from './approval/approved-order.js'
import { type ApprovedKind, ApprovedOrderExecutor } from './approval/executor.js'
import { legOf, legsOfGtt } from './approval/legs.js'
import { ApprovalPlans } from './approval/plans.js'
import { SmartTrades } from './approval/smart-trades.js'
import { PlacedStatuses } from './approval/statuses.js'
import { ChangeOrders } from './change/change-orders.js'
import { SimulatedCloses } from './change/simulated-closes.js'
import { GttOrders } from './gtt/gtt-orders.js'
import { toGttRequest } from './gtt/schema.js'
import { Idempotency } from './journal/idempotency.js'
import type { OrderJournal } from './journal/journal.js'
import { QuantityStore } from './journal/quantity-store.js'
import { earliestSending, mayTradeToday, type SessionOf } from './journal/reconciliation/absence.js'
import { DoubtStore } from './journal/reconciliation/doubt-store.js'
import { Reconciler } from './journal/reconciliation/reconciler.js'
import { TypeStore } from './journal/type-store.js'
import { KeyedQueue } from './keyed-queue.js'
import { afterAnswers } from './multi/in-doubt.js'
import type { PlanTools } from './multi/kind.js'
import { MultiOrders } from './multi/multi-orders.js'
import type { OptionResolver } from './multi/option-port.js'
import { BatchStore } from './multi/plans/batch-store.js'
import { Batches } from './multi/plans/batches.js'
import { QUEUEABLE } from './operations/order-operations.js'
import { Claims } from './pipeline/claims.js'
import { Pipeline } from './pipeline/pipeline.js'
import { OrderExecution } from './place/execution.js'
import { LiveSender } from './place/live-sender.js'
import { SingleOrders } from './place/single-orders.js'
import type { LiveOrders, OrderPorts, QueuePort, SandboxExecution, SandboxGtts } from './ports.js'
import { StrategyOrders } from './strategy/orders.js'

interface OrderPathParts {
  db: Database
  clock: Clock
  journal: OrderJournal
  risk: RiskGate
  broker: LiveOrders
  sandbox: SandboxExecution
  gtts: SandboxGtts
  options: OptionResolver | undefined
  queue: QueuePort
  /** Gives the approval queue the result of a request it released. */
  settleApproval(approvalId: number, result: ApprovalResult): Promise<unknown>
  /** Returns the hours of an exchange on a date. */
  sessionOf: SessionOf
  /** The pause between the parts of one split order. */
  splitPauseMs: number
  /**
   * Aborted when the service stops. A running request then sends no further order that a retry can send
   * later.
   */
  stopping: AbortSignal
  ports: OrderPorts
}

/** All parts of the order path. They share one journal, one risk gate and one set of keys. */
export type OrderPath = ReturnType<typeof openOrderPath>

/** The services of the order path that execute operations. */
export type OrderServices = Pick<OrderPath, 'single' | 'multi' | 'changes' | 'gtts'>

/** Builds the order path. It accepts nothing yet: recovery runs first. */
export function openOrderPath(parts: OrderPathParts) {
  const { broker, clock, db, gtts: sandboxGtts, journal, ports, queue, risk, sandbox, stopping } = parts
  const idempotency = new Idempotency(db, clock)
  const pipeline = new Pipeline(idempotency, queue, ports, risk)
  const claims = new Claims(journal, clock)
  const store = new BatchStore(db, clock)
  const sender = new LiveSender(journal, broker, ports, risk, queue, clock, (orderRef, end) =>
    reconciler.watch(orderRef, end),
  )
  const execution = new OrderExecution({ clock, journal, risk, sandbox, gtts: sandboxGtts, sender, ports })
  const batches = new Batches({
    claims,
    clock,
    journal,
    store,
    risk,
    ports,
    execution,
    sandbox,
    broker,
    stopping,
  })
  const { settleApproval } = parts
  const resultOfBatch = (batchRef: string) => batches.resultOf(batchRef)
  const reconciler = new Reconciler(
    journal,
    broker,
    idempotency,
    { publish: ports.publish, log: ports.log, settleApproval, resultOfBatch },
    clock,
    { doubts: new DoubtStore(db), sessionOf: parts.sessionOf },
  )
  const single = new SingleOrders({
    claims,
    clock,
    journal,
    pipeline,
    risk,
    sandbox,
    broker,
    execution,
    queue,
    ports,
  })
  // An order whose trading day is over shows in the broker's positions, or it never arrived. One that waits for the next open
  // trades days after it was sent.
  const inDoubtNow = async () => {
    const now = clock.now()
    const doubts = await journal.inDoubtAt(broker.brokerId, earliestSending(now))
    return doubts.filter((order) => mayTradeToday(order, now, parts.sessionOf))
  }
  const inDoubt: PlanTools['inDoubt'] = (concerns) => afterAnswers(inDoubtNow, concerns, clock)
  const types = new TypeStore(db)
  const asPlaced = async ({ orders, positions }: BrokerAccount): Promise<BrokerAccount> => ({
    positions,
    orders: await withPlacedTypes(orders, (refs) => types.of(refs)),
  })
  const glance = async () => {
    const { orders: book, portfolio } = broker.client()
    const [orders, positions] = await Promise.all([book.list(), portfolio.positions()])
    return asPlaced({ orders, positions })
  }
  const tools: PlanTools = {
    sandbox,
    broker,
    inDoubt,
    options: parts.options,
    splitPauseMs: parts.splitPauseMs,
    account: (concerns, terms, isAwaited = () => false) => {
      const read = async () => asPlaced(await accountAt(broker.client(), concerns))
      const isEnding = (order: BrokerOrder) => concerns(order) && isUncertain(order, terms)
      return afterEndings(read, (account) => account.orders.some(isEnding) || isAwaited(account), clock)
    },
    largestOrder: ports.largestOrder,
  }
  const slots = new KeyedQueue()
  const multi = new MultiOrders({ clock, batches, store, pipeline, tools, queue, ports, slots })
  const simulatedCloses = new SimulatedCloses({ claims, clock, multi, ports, sandbox, slots, store, tools })
  const changes = new ChangeOrders({
    clock,
    pipeline,
    journal,
    risk,
    broker,
    sandbox,
    multi,
    queue,
    ports,
    simulatedCloses,
    types,
    quantities: new QuantityStore(db),
  })
  const gtts = new GttOrders({
    claims,
    clock,
    pipeline,
    journal,
    risk,
    broker,
    execution,
    sandbox: sandboxGtts,
    changes,
    queue,
    ports,
  })
  const strategyParts = { db, claims, clock, journal, risk, broker, execution, sandbox, queue, ports, slots }
  const strategyOrders = new StrategyOrders(strategyParts)
  const statuses = new PlacedStatuses(broker, sandbox)
  const ofOne = { journal, risk, broker, sandbox, ports, statuses, entries: strategyOrders }
  const approvedBatch = new ApprovedBatch(multi, batches, journal, statuses, ports)
  const ofOneOrder: Readonly<Record<'order' | 'gtt', ApprovedKind>> = {
    order: new ApprovedOrder(single.order, ofOne, (order) => [legOf(order)]),
    gtt: new ApprovedOrder(gtts.order, ofOne, (gtt) => legsOfGtt(toGttRequest(gtt))),
  }
  const approvedKinds = new Map(
    QUEUEABLE.map(({ approved, queuedAs }): [string, ApprovedKind] => [
      queuedAs,
      typeof approved === 'string' ? ofOneOrder[approved] : approvedBatch,
    ]),
  )
  const executor = new ApprovedOrderExecutor(approvedKinds, broker, ports)
  const approvalPlans = new ApprovalPlans({ single, multi, ports })
  const smartTrades = new SmartTrades({ ports, tools, glance, inDoubtNow })
  return {
    approvalPlans,
    batches,
    changes,
    multi,
    single,
    executor,
    gtts,
    reconciler,
    smartTrades,
    strategyOrders,
  }
}
