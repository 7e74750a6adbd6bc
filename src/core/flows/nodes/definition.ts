import { PublicError } from '../../errors/index.js'
import type { OrderCall } from '../../orders/index.js'
import type { Problem } from '../graph/graph.js'
import type { Body, CallResult, FlowPorts, ReadCall } from '../ports.js'
import type { Field, Fields } from './field.js'
import type { Outputs } from './output.js'

export const FAMILIES = ['trigger', 'order', 'data', 'condition', 'streaming', 'utility'] as const
export type Family = (typeof FAMILIES)[number]

/**
 * The effects a node can have outside the run. Dry runs and replays depend on the effect, never on the node
 * type. `order` opens or changes an order, `reduce` only reduces, `outbound` sends out of the process.
 */
export const EFFECTS = [
  'trigger',
  'order',
  'reduce',
  'condition',
  'gate',
  'market',
  'account',
  'calendar',
  'stream',
  'time',
  'data',
  'outbound',
  'none',
] as const
export type Effect = (typeof EFFECTS)[number]

/**
 * The result of a node: an object with `status`. With a boolean `condition` it is a condition, which decides
 * between the `yes` and `no` edges. With `status: error` neither is followed.
 */
export interface NodeResult extends Body {
  status: 'success' | 'error'
  message?: string
  condition?: boolean
}

/** Ends the node with `status: error`: its result is not stored, its branch stops, and the run fails. */
export class NodeError extends PublicError {
  constructor(
    message: string,
    /** Further members of the result. */
    readonly extra: Body = {},
  ) {
    super(message)
    this.name = 'NodeError'
  }
}

export type LogLevel = 'info' | 'warn' | 'warning' | 'error'

/** One visit of a node, as its definition sees it. `K` is the names of its fields. */
export interface NodeRun<K extends string = string> {
  readonly workflowName: string
  readonly userId: string
  readonly ports: FlowPorts
  /** Aborts when the run is cancelled or the service stops. */
  readonly signal: AbortSignal
  /** Results of the inputs of a gate, in the order of their edges; empty for other nodes. */
  readonly inputs: readonly boolean[]

  /**
   * Returns the field as text with references resolved, or its default if it is blank. Unresolved references
   * stay.
   */
  text(field: K): string
  /** Returns the field as a whole number, truncated. @throws NodeError if it is not a number */
  integer(field: K): number
  /** Returns the field as a number. @throws NodeError if it is not a number */
  number(field: K): number
  flag(field: K): boolean
  /** Returns the stored value or its default, with references unresolved. */
  raw(field: K): unknown
  /**
   * Returns the value with references resolved at any depth. A text that is exactly one reference becomes the
   * value itself.
   */
  value(field: K): unknown
  /** Returns whether the field is blank. */
  blank(field: K): boolean

  /** Resolves the references in any text. */
  interpolate(text: string): string
  /** Resolves the references in all strings of a value. Each string stays a string. */
  interpolateAll(value: unknown): unknown
  /**
   * Resolves the references in all strings of a value. A string that is exactly one reference becomes the
   * value itself.
   */
  resolve(value: unknown): unknown

  /** Counts work as so many characters that are copied, so that a run of much work lets others go first. */
  spend(characters: number): void
  getVariable(name: string): unknown
  setVariable(name: string, value: unknown): void
  /** Adds a line to the log of the run. */
  log(message: string, level?: LogLevel): void
  /** Waits on the clock of the run. @throws if the run is cancelled, NodeError if the wait ends late */
  sleep(ms: number): Promise<void>
  /** Waits until the clock of the run shows an instant. @throws if the run is cancelled, NodeError if the wait ends late */
  sleepUntil(instant: number): Promise<void>

  /** Sends an order with the idempotency key of this visit, and returns its result. A refusal is a result. */
  order(call: OrderCall, body: Body): Promise<CallResult>
  /** Reads from an endpoint. A refusal is a result. */
  read(call: ReadCall, body: Body): Promise<NodeResult>
  /** Returns the variable name for the result; undefined if there is none. */
  outputName(): string | undefined
  /** Returns the strategy tag of orders: the node's `strategyTag`, or the name of the workflow. */
  strategy(): string
}

/** A node type: its documentation, its rules and its function. */
export interface NodeDefinition {
  readonly type: string
  readonly family: Family
  readonly effect: Effect
  /** One sentence that says what the node does. */
  readonly summary: string
  readonly fields: Fields
  /** The members of the result with their types, beside those of {@link COMMON}. */
  readonly output: Outputs
  /** Returns the members of the result for a configuration, if they depend on it. */
  outputFor?(data: Readonly<Body>): Outputs
  /** True if it has `yes` and `no` handles besides the unnamed one. */
  readonly branching: boolean
  /** True if `outputVariable` stores the result. */
  readonly storesOutput: boolean
  /** The variable for the result if `outputVariable` is blank. */
  readonly defaultOutput?: string
  /** Checks rules beyond those of single fields. `strict` is true before a run, false while editing. */
  check?(data: Readonly<Body>, strict: boolean): FieldProblem[]
  /** Checks rules beyond those of single fields, like the form of a field before an activation. */
  checkValues?(data: Readonly<Body>): FieldProblem[]
  /** Returns the fields that a run with this configuration does not read. */
  unused?(data: Readonly<Body>): readonly string[]
  run(run: NodeRun): NodeResult | undefined | Promise<NodeResult | undefined>
}

/** A problem of one field. The validator adds the path of the node. */
export interface FieldProblem extends Omit<Problem, 'path'> {
  field: string
}

interface Spec<F extends Fields>
  extends Omit<NodeDefinition, 'fields' | 'output' | 'branching' | 'storesOutput' | 'run'> {
  fields: F
  output?: Outputs
  branching?: boolean
  storesOutput?: boolean
  run(run: NodeRun<Extract<keyof F, string>>): NodeResult | undefined | Promise<NodeResult | undefined>
}

/** Defines one row of the table of nodes. The type of `run` allows only the fields of the row. */
export function defineNode<const F extends Readonly<Record<string, Field>>>(spec: Spec<F>): NodeDefinition {
  return { output: {}, branching: false, storesOutput: false, ...spec }
}

/** Returns the result of a node that made one call: the output of the call. */
export function resultOfCall({ ok, output }: CallResult): NodeResult {
  return { ...output, status: ok ? 'success' : 'error' }
}

/** Returns the result of a successful node. It changes the given body. */
export function succeeded(body: Body = {}): NodeResult {
  return Object.assign(body, SUCCESS)
}

/** Returns the result of a condition. */
export function decided(condition: boolean, body: Body = {}): NodeResult {
  return Object.assign(body, condition ? YES : NO)
}

/** Returns the result of a condition that cannot be decided: neither branch is taken. */
export function undecided(message: string, body: Body = {}): NodeResult {
  return { ...body, status: 'error', condition: false, message }
}

/** Returns a boolean as the log shows it. */
export const booleanText = (value: boolean): string => (value ? 'True' : 'False')

const SUCCESS = { status: 'success' } as const
const YES = { ...SUCCESS, condition: true } as const
const NO = { ...SUCCESS, condition: false } as const
