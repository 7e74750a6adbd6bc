import { crashPoint, PublicError, publicMessageOf } from '../../errors/index.js'
import type { RowsFirst } from '../../storage/index.js'
import { Pace } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import { type FlowGraph, LIMITS } from '../graph/graph.js'
import { builtinAt } from '../language/builtins.js'
import { type Scope, unresolvedIn } from '../language/interpolation.js'
import { type Effect, NodeError, type NodeResult } from '../nodes/definition.js'
import type { Body, FlowPorts } from '../ports.js'
import { Cancellation } from './cancellation.js'
import { NodeVisit, type RunContext } from './node-run.js'
import { type Program, programOf, type Step } from './program.js'
import { type LogEntry, RunLog } from './run-log.js'
import { RunVariables } from './run-variables.js'

/** The graph, user and ports of a run. */
export interface RunRequest {
  /** Identifies the run; part of the idempotency key of each order. */
  runId: string
  workflowName: string
  graph: FlowGraph
  userId: string
  ports: FlowPorts
  /** Data of the trigger, as `{{webhook.…}}`. An empty object counts as no data. */
  payload?: Body
  /** Set before the first node. */
  variables?: Readonly<Body>
  secret?(kind: 'env' | 'secret', name: string): string | undefined
  /** Cancels the run from outside. */
  cancellation?: Cancellation
  /**
   * The row that says that the run has begun. It begins to be stored when a node reads, and is durable before a node waits
   * or acts outside the process; an order stores it together with its own rows. A run without such nodes is stored only
   * when it has ended.
   */
  begin?: RowsFirst
  /** The only mode in which its orders may be sent; absent for any. */
  onlyMode?: TradingMode | undefined
  onLog?(entry: LogEntry): void
  /** Receives internal errors in full; the outcome only says that one happened. */
  onFault?(fault: unknown): void
}

export interface NodeFailure {
  node: string
  type: string
  message: string
}

export interface RunOutcome {
  status: 'completed' | 'failed'
  /** The cause of a failed run: its failed nodes, or the error that ended the walk. */
  error: string | undefined
  failures: NodeFailure[]
  /** True if an exception ended the walk: a limit, a cancellation or an internal error. */
  aborted: boolean
  /** True if somebody cancelled the run. */
  cancelled: boolean
  logs: LogEntry[]
  variables: Record<string, unknown>
  /** Ids of the visited nodes in order. Gates that only waited are not included. */
  visited: string[]
}

/**
 * Effects of nodes that act outside the process or wait. The row of the run must be stored before them. Nodes that order
 * act only by {@link NodeVisit.order}, which gives the row to the order.
 */
const NEEDS_STORED_RUN: ReadonlySet<Effect> = new Set(['outbound', 'time', 'stream'])

/**
 * The characters that a run reads and writes in one turn of the event loop, and those that a visit counts for. So a run lets
 * orders and ticks go first after each long text, and at least after 32 nodes.
 */
const CHARACTERS_A_TURN = 262_144
const CHARACTERS_A_VISIT = 8_192

/** Effects of nodes whose result says what became of an order. It is kept whatever its length. */
const TELLS_OF_ORDERS: ReadonlySet<Effect> = new Set(['order', 'reduce'])

/** Ends the whole walk. */
class RunEnded extends PublicError {}

interface Visit {
  step: Step
  depth: number
}

/** Runs a graph from its trigger to the end. Never throws: the outcome holds every error. */
export async function runGraph(request: RunRequest): Promise<RunOutcome> {
  const log = new RunLog(() => request.ports.clock.now(), request.onLog)
  const walk = new Walk(request, log)
  let error: string | undefined
  try {
    await walk.run(programOf(request.graph))
    walk.warnOfWaitingGates()
  } catch (thrown) {
    if (!(thrown instanceof PublicError)) request.onFault?.(thrown)
    error = log.masked(publicMessageOf(thrown))
    log.add(`Error: ${error}`, 'error')
  }
  const failures = walk.failures
  const failed = error ?? (failures.map(({ type, message }) => `${type}: ${message}`).join('; ') || undefined)
  return {
    status: failed === undefined ? 'completed' : 'failed',
    error: failed,
    failures,
    aborted: error !== undefined,
    cancelled: error !== undefined && request.cancellation?.isCancelled === true,
    logs: log.entries,
    variables: await log.maskedValues(walk.variables, walk.pace),
    visited: walk.visited,
  }
}

/** The result of a condition in this run. A condition with an error keeps its gates from deciding. */
type Verdict = boolean | 'errored'

class Walk {
  readonly failures: NodeFailure[] = []
  readonly visited: string[] = []
  readonly pace: Pace
  readonly #variables: RunVariables
  readonly #request: RunRequest
  readonly #log: RunLog
  readonly #context: RunContext
  readonly #verdicts = new Map<Step, Verdict>()
  readonly #fired = new Set<Step>()
  readonly #waiting = new Set<Step>()
  readonly #secrets = new Set<string>()
  #visits = 0
  #characters = 0

  constructor(request: RunRequest, log: RunLog) {
    const { payload, ports, variables = {}, workflowName, userId } = request
    this.#request = request
    this.#log = log
    this.pace = new Pace(ports.clock, CHARACTERS_A_TURN)
    this.#variables = new RunVariables(variables)
    if (payload && Object.keys(payload).length > 0) this.#variables.keep('webhook', payload)
    this.#context = {
      workflowName,
      userId,
      ports,
      cancellation: request.cancellation ?? new Cancellation(),
      variables: this.variables,
      setVariable: (name, value) => this.#spend(this.#variables.set(name, value)),
      scope: this.#scope(),
      log: (message, level) => log.add(message, level),
      begin: request.begin,
      onlyMode: request.onlyMode,
    }
  }

  get variables(): ReadonlyMap<string, unknown> {
    return this.#variables.values
  }

  /** Visits the nodes depth first, in the order of the edges, one at a time. */
  async run({ trigger }: Program): Promise<void> {
    this.#log.add(`Starting workflow: ${this.#request.workflowName}`)
    if (!trigger) throw new RunEnded('No trigger node found')
    const stack: Visit[] = [{ step: trigger, depth: 0 }]
    for (let visit = stack.pop(); visit; visit = stack.pop()) {
      this.#context.cancellation.throwIfCancelled()
      this.#count(visit)
      const { step, depth } = visit
      this.#log.attribute(step.node)
      if (step.isGate && !this.#mayRun(step)) continue
      this.visited.push(step.node.id)
      const pending = this.#perform(step)
      const result = pending instanceof Promise ? await pending : pending
      const turn = this.#turn()
      if (turn) await turn
      crashPoint('flows.run.afterNode')
      const next = this.#exits(step, result)
      for (let index = next.length - 1; index >= 0; index--) {
        const to = next[index]
        if (to) stack.push({ step: to, depth: depth + 1 })
      }
    }
    this.#log.attribute()
  }

  warnOfWaitingGates(): void {
    for (const { node, inputs } of this.#waiting) {
      this.#log.attribute(node)
      const missing = inputs.filter((input) => typeof this.#verdicts.get(input) !== 'boolean').length
      this.#log.add(`${node.type} '${node.id}' has no result: ${missing} of its inputs had none`, 'warning')
    }
    this.#log.attribute()
  }

  #spend(characters: number): void {
    this.#characters += characters
  }

  /** Returns the promise to wait for when the run has had its turn. */
  #turn(): Promise<void> | undefined {
    const characters = this.#characters + CHARACTERS_A_VISIT
    this.#characters = 0
    return this.pace.spend(characters)
  }

  #count({ depth }: Visit): void {
    if (depth > LIMITS.depth) throw new RunEnded(`Maximum node depth (${LIMITS.depth}) exceeded`)
    if (this.#visits >= LIMITS.visits) throw new RunEnded(`Maximum node visits (${LIMITS.visits}) exceeded`)
    this.#visits += 1
  }

  /** Returns whether a gate may run: once, when all its inputs have a result. */
  #mayRun(gate: Step): boolean {
    if (this.#fired.has(gate)) return false
    const open = gate.inputs.filter((input) => !this.#verdicts.has(input)).length
    if (open > 0) this.#log.add(`${gate.node.type}: waiting for ${open} more input(s) before evaluating`)
    const decided = open === 0 && gate.inputs.every((input) => this.#verdicts.get(input) !== 'errored')
    if (!decided) {
      this.#waiting.add(gate)
      return false
    }
    this.#fired.add(gate)
    this.#waiting.delete(gate)
    return true
  }

  #perform(step: Step): NodeResult | undefined | Promise<NodeResult | undefined> {
    const begun = NEEDS_STORED_RUN.has(step.definition.effect) ? this.#request.begin?.store() : undefined
    return begun ? begun.then(() => this.#visit(step)) : this.#visit(step)
  }

  #visit(step: Step): NodeResult | undefined | Promise<NodeResult | undefined> {
    try {
      this.#refuseOpenReferences(step)
      const inputs = step.isGate ? step.inputs.map((input) => this.#verdicts.get(input) === true) : []
      const key = `flow:${this.#request.runId}:${step.node.id}:${this.#visits}`
      const visit = new NodeVisit(this.#context, step.definition, step.node.data, key, inputs)
      const result = step.definition.run(visit)
      return result instanceof Promise
        ? result
            .then((settled) => this.#finish(step, settled))
            .catch((error: unknown) => this.#fail(step, error))
        : this.#finish(step, result)
    } catch (error) {
      return this.#fail(step, error)
    }
  }

  /** Refuses an order with unresolved references: it must not be sent with other values. */
  #refuseOpenReferences({ node, guarded }: Step): void {
    if (guarded.length === 0) return
    const open = guarded.flatMap((field) => {
      const [text] = unresolvedIn(node.data[field], this.#context.scope)
      return text === undefined ? [] : [{ field, text }]
    })
    if (open.length === 0) return
    const shown = open.map(({ field, text }) => `${field}='${text}'`).join(', ')
    throw new NodeError(
      `${node.type} has unresolved variable(s) in ${shown}. Refusing to send it with substituted values.`,
      { unresolved: open.map(({ field }) => field) },
    )
  }

  #finish(step: Step, result: NodeResult | undefined): NodeResult | undefined {
    if (result === undefined) return undefined
    if (step.outputVariable !== undefined) {
      this.#store(step, step.outputVariable, result)
      this.#log.add(`Stored result in variable: ${step.outputVariable}`)
    }
    if (result.status === 'error') this.#recordFailure(step, result)
    else if (result.condition !== undefined && this.#verdicts.get(step) !== 'errored') {
      this.#verdicts.set(step, result.condition)
    }
    return result
  }

  #store({ definition }: Step, name: string, result: NodeResult): void {
    const { effect } = definition
    this.#spend(
      TELLS_OF_ORDERS.has(effect) ? this.#variables.keep(name, result) : this.#variables.set(name, result),
    )
  }

  #fail(step: Step, error: unknown): NodeResult {
    if (!(error instanceof NodeError)) throw error
    const { effect } = step.definition
    const result: NodeResult = {
      ...error.extra,
      status: 'error',
      message: error.message,
      ...(effect === 'condition' && { condition: false }),
    }
    this.#recordFailure(step, result)
    return result
  }

  #recordFailure(step: Step, result: NodeResult): void {
    const { node, definition } = step
    const message = this.#log.masked(result.message ?? 'node failed')
    const isCondition = result.condition !== undefined
    if (definition.branching) this.#verdicts.set(step, 'errored')
    this.failures.push({ node: node.id, type: node.type, message })
    this.#log.add(
      isCondition
        ? `${node.type} could not be evaluated (${message})`
        : `Stopping this branch: ${node.type} node failed (${message})`,
      'error',
    )
  }

  /** Returns the steps that follow a node, by its result. */
  #exits({ exits }: Step, result: NodeResult | undefined): Step[] {
    const next: Step[] = []
    const failed = result?.status === 'error'
    const condition = result?.condition
    if (failed && condition === undefined) return next
    const taken = condition ? 'yes' : 'no'
    for (const { branch, to } of exits) {
      const follows =
        branch === undefined || condition === undefined || (!failed && (branch === taken || to.isGate))
      if (follows) next.push(to)
    }
    return next
  }

  #hide(reference: string, secret: string): void {
    if (this.#secrets.add(reference).size > LIMITS.secrets) {
      throw new NodeError(`A run may use at most ${LIMITS.secrets} secrets`)
    }
    this.#log.hide(secret)
  }

  #scope(): Scope {
    const { ports, secret } = this.#request
    return {
      builtin: (name) => builtinAt(name, ports.clock.now()),
      variables: this.variables,
      secret: (kind, name) => {
        const value = secret?.(kind, name)
        if (value !== undefined) this.#hide(`${kind}:${name}`, value)
        return value
      },
      spend: (characters) => this.#spend(characters),
    }
  }
}
