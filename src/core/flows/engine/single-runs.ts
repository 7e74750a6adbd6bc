import { PublicError, ServiceError } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import { randomHex } from '../../secrets/index.js'
import { nextTurn } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import { invalidGraph } from '../graph/content.js'
import type { Body, FlowPorts, OrderContext, OrdersPort } from '../ports.js'
import type { WorkflowContent } from '../schema.js'
import type { FlowSecrets } from '../secrets.js'
import { startProblems } from '../workflow-activator.js'
import type { Cancellation } from './cancellation.js'
import { dryRunPorts, type OrderPlanner } from './dry-run.js'
import { logFault, ordersOfRun } from './executor.js'
import type { LogEntry } from './run-log.js'
import { type RunOutcome, runGraph } from './walk.js'

/** The request to run a graph that is not stored. */
export interface UnsavedRun {
  content: WorkflowContent
  dryRun: boolean
  payload?: Body | undefined
  variables: Body
  cancellation: Cancellation
  /** The only mode in which its orders may be sent; absent for the mode in which it begins. */
  onlyMode?: TradingMode | undefined
  /** Returns why nothing more is sent for the caller, whose right may end before the run does. */
  lostRight?: OrderContext['lostRight']
  onLog(entry: LogEntry): void
}

interface SingleRunsOptions {
  log: Logger
  /** Creates the planner for the orders of one dry run. */
  planner(): OrderPlanner
  ports: FlowPorts
  secrets: Pick<FlowSecrets, 'read'>
  /** Returns the trading mode of now. */
  mode(): TradingMode
}

/** Runs of graphs that are not stored. They end when the service stops. */
export class SingleRuns {
  readonly #options: SingleRunsOptions
  readonly #running = new Map<Cancellation, Promise<RunOutcome>>()
  #stopping = false

  constructor(options: SingleRunsOptions) {
    this.#options = options
  }

  /**
   * Checks and starts a run. A run that has begun does not reject. @throws ServiceError `validation` with the problems of
   * the graph, `unavailable` while the service stops
   */
  run(request: UnsavedRun, userId: string): Promise<RunOutcome> {
    const problems = startProblems(request.content.graph)
    if (problems.length > 0) throw invalidGraph('Workflow cannot be executed', problems)
    if (this.#stopping) {
      throw new ServiceError('unavailable', 'The service is stopping.', { retryAfterSeconds: 1 })
    }
    const { cancellation } = request
    const outcome = this.#begin(request, userId).finally(() => this.#running.delete(cancellation))
    this.#running.set(cancellation, outcome)
    return outcome
  }

  async #begin(request: UnsavedRun, userId: string): Promise<RunOutcome> {
    const { cancellation, content, dryRun, lostRight, onLog, payload, variables } = request
    const { log, mode, planner, ports, secrets } = this.#options
    const onlyMode = request.onlyMode ?? mode()
    // The checks of a long graph took their turn; the run takes another.
    await nextTurn()
    return runGraph({
      runId: `once-${randomHex(8)}`,
      workflowName: content.name,
      graph: content.graph,
      userId,
      ports: dryRun
        ? dryRunPorts(ports, planner())
        : { ...ports, orders: withRight(ordersOfRun(ports), lostRight) },
      secret: (kind, name) => secrets.read(kind, name),
      cancellation,
      onlyMode,
      onLog,
      onFault: (fault) => logFault(log, fault),
      variables,
      ...(payload && { payload }),
    })
  }

  /** Refuses new runs, cancels the current ones and waits for their end. */
  async stop(): Promise<void> {
    this.#stopping = true
    for (const cancellation of this.#running.keys()) {
      cancellation.cancel(new PublicError('The service is stopping'))
    }
    await Promise.all(this.#running.values())
  }
}

/** Returns the port that sends orders only while the caller of the run has its right. */
function withRight(orders: OrdersPort, lostRight: OrderContext['lostRight']): OrdersPort {
  if (!lostRight) return orders
  return { send: (call, body, context) => orders.send(call, body, { ...context, lostRight }) }
}
