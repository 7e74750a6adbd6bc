import type { RiskGate } from '../risk/index.js'
import type { Database } from '../storage/index.js'
import type { Clock } from '../time/index.js'
import type { Answer } from './answer.js'
import { QueuedOrderExecutor } from './approval-executor.js'
import { BatchStore } from './batch-store.js'
import { Batches } from './batches.js'
import { ChangeDesk } from './change-desk.js'
import { ChildPlacer } from './child.js'
import { CompositeDesk } from './composite-desk.js'
import { OrderDesk } from './desk.js'
import { GttDesk } from './gtt-desk.js'
import { Idempotency } from './idempotency.js'
import type { OrderJournal } from './journal.js'
import { LiveSender } from './live.js'
import type { OptionResolver } from './option-port.js'
import type { DeskPorts, LiveOrders, QueuePort, SimulatedExecution, SimulatedGtts } from './ports.js'
import { Reconciler } from './reconcile.js'
import { Turns } from './turns.js'

export interface OrderPathParts {
  db: Database
  clock: Clock
  journal: OrderJournal
  risk: RiskGate
  broker: LiveOrders
  sandbox: SimulatedExecution
  gtts: SimulatedGtts
  options: OptionResolver | undefined
  queue: QueuePort
  /** Tells the approval queue how an order it released has ended. */
  settleApproval(approvalId: number, answer: Answer): Promise<void>
  /** Between the parts of one split order. */
  splitPauseMs: number
  /** Aborted once the service stops: of a request under way no further order is sent that can be sent later. */
  stopping: AbortSignal
  ports: DeskPorts
}

/** Every desk of the order path, on one journal, one gate and one set of keys. */
export type OrderPath = ReturnType<typeof openOrderPath>

/** Puts the order path together. Nothing is accepted yet: recovery comes first. */
export function openOrderPath(parts: OrderPathParts) {
  const { broker, clock, db, gtts: simulatedGtts, journal, ports, queue, risk, sandbox, stopping } = parts
  const idempotency = new Idempotency(db, clock)
  const store = new BatchStore(db, journal, clock)
  const sender = new LiveSender(journal, broker, ports, risk, queue, clock, (orderRef, end) =>
    reconciler.watch(orderRef, end),
  )
  const placer = new ChildPlacer({ clock, journal, risk, sandbox, sender, ports })
  const batches = new Batches({ clock, journal, store, risk, placer, sandbox, broker, stopping })
  const { settleApproval } = parts
  const answerOfBatch = (batchRef: string) => batches.answerFor(batchRef)
  const reconciler = new Reconciler(
    journal,
    broker,
    idempotency,
    { publish: ports.publish, log: ports.log, settleApproval, answerOfBatch },
    clock,
  )
  const desk = new OrderDesk({ clock, journal, idempotency, risk, sandbox, broker, sender, queue, ports })
  const tools = { sandbox, broker, options: parts.options, splitPauseMs: parts.splitPauseMs }
  const turns = new Turns()
  const composites = new CompositeDesk({ clock, batches, store, idempotency, tools, queue, ports, turns })
  const changes = new ChangeDesk({
    clock,
    idempotency,
    journal,
    risk,
    broker,
    sandbox,
    composites,
    queue,
    ports,
    turns,
  })
  const gtts = new GttDesk({
    clock,
    idempotency,
    journal,
    risk,
    broker,
    sender,
    sandbox: simulatedGtts,
    changes,
    queue,
    ports,
  })
  const executor = new QueuedOrderExecutor({
    clock,
    desk,
    composites,
    batches,
    gtts,
    journal,
    risk,
    sandbox,
    broker,
    ports,
  })
  return { batches, changes, composites, desk, executor, gtts, reconciler }
}
