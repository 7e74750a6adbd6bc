import { crashPoint, messageOf, PublicError } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { RowsFirst } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import type { Problem } from '../graph/graph.js'
import { validateGraph } from '../graph/validate.js'
import type { Body, FlowPorts, OrdersPort } from '../ports.js'
import type { ExecutionStatus, RunTrigger, Workflow } from '../schema.js'
import type { ExecutionRow, FlowStore, LastRun } from '../store.js'
import { Cancellation } from './cancellation.js'
import { PlacedOrders } from './placed-orders.js'
import { RunEnds } from './run-ends.js'
import { encodeLog, type LogEntry } from './run-log.js'
import { type RunOutcome, runGraph } from './walk.js'

const NO_KEY = 'API key required for workflow execution'

interface ExecutorParts {
  store: FlowStore
  clock: Clock
  log: Logger
  ports: FlowPorts
  /** Returns the user of an API key; undefined if it is unknown or revoked. */
  verifyKey(apiKey: string): Promise<string | undefined>
  secret(kind: 'env' | 'secret', name: string): string | undefined
  /** Returns the trading mode of now. */
  mode(): TradingMode
  /** Called after each run with its outcome. */
  onEnd(workflowId: number, outcome: RunOutcome): void
  publish(event: ExecutionEvent): void
}

/** The begin or the end of a run. */
export interface ExecutionEvent {
  userId: string | undefined
  workflowId: number
  workflowName: string
  executionId: number
  trigger: RunTrigger
  status: ExecutionStatus
  error: string | undefined
}

export interface RunCall {
  trigger: RunTrigger
  /** Returns the API key to run with; without one the run fails. */
  apiKey(): string | undefined
  payload?: Body
  /** Set before the first node. */
  variables?: Body
  /** The only mode in which its orders may be sent; absent for the mode in which it begins. */
  onlyMode?: TradingMode | undefined
  /** Called with the id of the run before it does anything. If it rejects, the run does not begin. */
  claim?(executionId: number): Promise<void>
}

/** The result of a request to run a workflow. */
export type RunReply =
  | { kind: 'already_running' }
  | { kind: 'invalid'; problems: Problem[] }
  | { kind: 'stopping' }
  | { kind: 'finished'; executionId: number; outcome: RunOutcome }

/** An event for clients that follow a workflow. */
export type FollowEvent =
  | { type: 'started'; executionId: number; trigger: RunTrigger }
  | { type: 'log'; executionId: number; entry: LogEntry }
  | { type: 'finished'; executionId: number; status: ExecutionStatus; error: string | undefined }

interface Running {
  executionId: number
  cancellation: Cancellation
  entries: LogEntry[]
  ended: Promise<void>
}

/**
 * Runs workflows, at most one run per workflow at a time. The row of a run is stored before anything leaves
 * the process, its log when it has ended.
 */
export class Executor {
  readonly #parts: ExecutorParts
  readonly #running = new Map<number, Running>()
  readonly #followers = new Map<number, Set<(event: FollowEvent) => void>>()
  readonly #last: Map<number, LastRun>
  readonly #ends: RunEnds
  readonly #placed = new PlacedOrders()
  #stopping = false

  private constructor(parts: ExecutorParts, last: Map<number, LastRun>) {
    this.#parts = parts
    this.#last = last
    this.#ends = new RunEnds(parts)
  }

  /** Marks the runs that a crash left running as failed. */
  static async open(parts: ExecutorParts): Promise<Executor> {
    const { clock, log, store } = parts
    const count = await store.interrupt(clock.now(), 'Interrupted by restart')
    if (count > 0) log.warn('flow.runs_interrupted', { count })
    return new Executor(parts, await store.lastRuns())
  }

  isRunning(workflowId: number): boolean {
    return this.#running.has(workflowId)
  }

  /** Returns the id of the current run of a workflow. */
  runningId(workflowId: number): number | undefined {
    return this.#running.get(workflowId)?.executionId
  }

  /** Returns whether a run of the workflow has placed the order since the process began. */
  hasPlaced(workflowId: number, orderId: string): boolean {
    return this.#placed.has(workflowId, orderId)
  }

  /** Returns the newest run; undefined before the first. */
  lastRun(workflowId: number): LastRun | undefined {
    return this.#last.get(workflowId)
  }

  /**
   * Runs the current graph of a workflow from its trigger to the end. `payload` is the data of the trigger.
   * Refuses, without a row, if the workflow is running or its graph is not runnable. The run sends its orders only in
   * the mode in which it begins: an exit in another mode than its entry would open a position.
   */
  async run(workflow: Workflow, call: RunCall): Promise<RunReply> {
    const { id } = workflow
    if (this.#stopping) return { kind: 'stopping' }
    if (this.#running.has(id)) return { kind: 'already_running' }
    const problems = problemsOf(workflow)
    if (problems.length > 0) return { kind: 'invalid', problems }
    let ended = () => {}
    const running: Running = {
      executionId: this.#parts.store.newExecutionId(),
      cancellation: new Cancellation(),
      entries: [],
      ended: new Promise((resolve) => {
        ended = resolve
      }),
    }
    this.#running.set(id, running)
    const pinned = { ...call, onlyMode: call.onlyMode ?? this.#parts.mode() }
    try {
      await call.claim?.(running.executionId)
      return {
        kind: 'finished',
        executionId: running.executionId,
        outcome: await this.#execute(workflow, pinned, running),
      }
    } finally {
      this.#running.delete(id)
      ended()
    }
  }

  /** Cancels a run: it sends nothing more. @returns whether it was running */
  cancel(executionId: number, by: string): boolean {
    const running = [...this.#running.values()].find((one) => one.executionId === executionId)
    running?.cancellation.cancel(new PublicError(`Cancelled by ${by}`))
    return running !== undefined
  }

  /** Resolves when the current run of a workflow has ended; at once if there is none. */
  async ended(workflowId: number): Promise<void> {
    await this.#running.get(workflowId)?.ended
  }

  /** Cancels the current run of a workflow, if there is one, and waits for its end. */
  async end(workflowId: number, reason: string): Promise<void> {
    const running = this.#running.get(workflowId)
    running?.cancellation.cancel(new PublicError(reason))
    await running?.ended
  }

  /**
   * Sends the events of a workflow's runs to a listener, starting with the log of the current run. @returns a
   * function that stops it
   */
  follow(workflowId: number, listener: (event: FollowEvent) => void): () => void {
    const running = this.#running.get(workflowId)
    for (const entry of running?.entries ?? []) {
      listener({ type: 'log', executionId: running?.executionId ?? 0, entry })
    }
    const others = this.#followers.get(workflowId) ?? new Set()
    this.#followers.set(workflowId, others.add(listener))
    return () => {
      others.delete(listener)
      if (others.size === 0) this.#followers.delete(workflowId)
    }
  }

  /** Returns the log of a running run so far. */
  liveLog(executionId: number): readonly LogEntry[] | undefined {
    return [...this.#running.values()].find((one) => one.executionId === executionId)?.entries
  }

  /** Refuses new runs, cancels the current ones and waits for their end. */
  async stop(): Promise<void> {
    this.#stopping = true
    for (const { cancellation } of this.#running.values()) {
      cancellation.cancel(new PublicError('The service is stopping'))
    }
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
    await this.#ends.close()
  }

  /** Returns the end of a run that is not stored yet; the stored row still says `running`. */
  unstoredEnd(executionId: number): ExecutionRow | undefined {
    return this.#ends.waiting(executionId)
  }

  async #execute(workflow: Workflow, call: RunCall, running: Running): Promise<RunOutcome> {
    const { clock, store } = this.#parts
    const row: ExecutionRow = {
      id: running.executionId,
      workflowId: workflow.id,
      status: 'running',
      startedAt: clock.now(),
      completedAt: null,
      logs: '[]',
      error: null,
      trigger: call.trigger,
      version: workflow.version,
    }
    // A run that only computes has one row, written at its end: nothing outside the process depended on its
    // begin.
    const begin = store.beginning(row)
    const userId = await this.#userOf(call)
    this.#began(workflow, call, row, userId)
    const outcome = await this.#walk(workflow, call, running, userId, begin)
    // The last save writes the whole row, so it replaces a first save that failed. In that case nothing left
    // the process.
    await begin.settled().catch(() => undefined)
    const { status, error = null, logs } = outcome
    await this.#ends.store({ ...row, status, completedAt: clock.now(), logs: encodeLog(logs), error })
    crashPoint('flows.run.afterEnd')
    this.#finished(workflow, call, row, userId, outcome)
    this.#parts.onEnd(workflow.id, outcome)
    return outcome
  }

  /** Returns the user to run for; undefined without a valid key. */
  async #userOf(call: RunCall): Promise<string | undefined> {
    const apiKey = call.apiKey()
    if (apiKey === undefined) return undefined
    const userId = await this.#parts.verifyKey(apiKey)
    // The key may have been rotated during the check. The new one is valid.
    return userId === undefined && call.apiKey() !== apiKey ? this.#userOf(call) : userId
  }

  async #walk(
    workflow: Workflow,
    call: RunCall,
    running: Running,
    userId: string | undefined,
    begin: RowsFirst,
  ): Promise<RunOutcome> {
    if (userId === undefined) {
      return notStarted(
        call.apiKey() === undefined ? NO_KEY : 'Invalid svc apikey: activate the workflow again',
      )
    }
    const { log, ports, secret } = this.#parts
    return runGraph({
      runId: String(running.executionId),
      workflowName: workflow.name,
      graph: workflow.graph,
      userId,
      ports: { ...ports, orders: this.#placed.portOf(workflow.id, ordersOfRun(ports)) },
      secret,
      cancellation: running.cancellation,
      begin,
      onlyMode: call.onlyMode,
      onLog: (entry) => {
        running.entries.push(entry)
        this.#notify(workflow.id, { type: 'log', executionId: running.executionId, entry })
      },
      onFault: (fault) => logFault(log, fault, workflow.id),
      ...(call.payload && { payload: call.payload }),
      ...(call.variables && { variables: call.variables }),
    })
  }

  #began(
    workflow: Workflow,
    call: RunCall,
    { id: executionId, startedAt }: ExecutionRow,
    userId: string | undefined,
  ): void {
    this.#last.set(workflow.id, { status: 'running', startedAt })
    this.#notify(workflow.id, { type: 'started', executionId, trigger: call.trigger })
    this.#publish(workflow, call, executionId, userId, 'running', undefined)
  }

  #finished(
    workflow: Workflow,
    call: RunCall,
    { id: executionId, startedAt }: ExecutionRow,
    userId: string | undefined,
    { status, error }: RunOutcome,
  ): void {
    this.#last.set(workflow.id, { status, startedAt })
    this.#notify(workflow.id, { type: 'finished', executionId, status, error })
    this.#publish(workflow, call, executionId, userId, status, error)
  }

  #publish(
    { id, name }: Workflow,
    { trigger }: RunCall,
    executionId: number,
    userId: string | undefined,
    status: ExecutionStatus,
    error: string | undefined,
  ): void {
    this.#parts.publish({ userId, workflowId: id, workflowName: name, executionId, trigger, status, error })
  }

  #notify(workflowId: number, event: FollowEvent): void {
    for (const listener of this.#followers.get(workflowId) ?? []) listener(event)
  }
}

/** Returns the port for the orders of a run that begins now. */
export function ordersOfRun({ orders }: Pick<FlowPorts, 'orders'>): OrdersPort {
  return orders.ofRun?.() ?? orders
}

/** Logs an internal error in full. The run itself only says that one happened. */
export function logFault(log: Logger, fault: unknown, workflowId?: number): void {
  const stack = fault instanceof Error ? fault.stack : undefined
  log.error('flow.run_fault', { workflowId, error: messageOf(fault), stack })
}

/**
 * The problems of each graph, cached while the graph object lives: each change of a workflow creates a new
 * one.
 */
const problemsByGraph = new WeakMap<object, Problem[]>()

/** Returns the problems that keep a workflow from running. */
export function problemsOf({ graph }: Pick<Workflow, 'graph'>): Problem[] {
  const known = problemsByGraph.get(graph)
  if (known) return known
  const problems = validateGraph(graph, { strict: true })
  problemsByGraph.set(graph, problems)
  return problems
}

function notStarted(error: string): RunOutcome {
  return {
    status: 'failed',
    error,
    failures: [],
    aborted: true,
    cancelled: false,
    logs: [],
    variables: {},
    visited: [],
  }
}
