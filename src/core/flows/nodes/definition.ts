import { PublicError } from '../../errors/index.js'
import type { Problem } from '../graph/graph.js'
import type { Body, FlowPorts, OrderCall, ReadCall } from '../ports.js'
import type { Field, Fields } from './field.js'

export const FAMILIES = ['trigger', 'order', 'data', 'condition', 'streaming', 'utility'] as const
export type Family = (typeof FAMILIES)[number]

/**
 * What running a node may do to the world: decides about dry runs and replays, never the type itself.
 * `order` opens or changes, `reduce` only reduces, `outbound` leaves the house.
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
 * What a node leaves: nothing, or an object with `status`. With a boolean `condition` it is a condition: `yes` and
 * `no` edges are followed by it, and with `status: error` neither.
 */
export interface NodeResult extends Body {
  status: 'success' | 'error'
  message?: string
  condition?: boolean
}

/** Ends the node with `status: error`: nothing is stored, its branch stops, the run has failed. */
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

/** One visit of a node, as its definition sees it. `K` are the names of its fields. */
export interface NodeRun<K extends string = string> {
  readonly workflowName: string
  readonly userId: string
  readonly ports: FlowPorts
  /** Aborted when the run is cancelled or the service stops. */
  readonly signal: AbortSignal
  /** What the wired inputs of a gate came to, in the order of their edges; empty for other nodes. */
  readonly inputs: readonly boolean[]

  /** The field as text, interpolated; its default when it is blank. References that cannot be resolved stay. */
  text(field: K): string
  /** As a whole number, cut towards zero. @throws NodeError for anything that is not a number */
  integer(field: K): number
  /** As a number. @throws NodeError for anything that is not a number */
  number(field: K): number
  flag(field: K): boolean
  /** As saved, or its default, without interpolation. */
  raw(field: K): unknown
  /** Interpolated; a text that is one reference and nothing else gives the value itself. Goes into lists and objects. */
  value(field: K): unknown
  /** Whether the field was left out. */
  blank(field: K): boolean

  /** Any text with its references filled in. */
  interpolate(text: string): string
  /** Strings anywhere inside a value filled in; a lone reference gives the value itself. */
  resolve(value: unknown): unknown

  getVariable(name: string): unknown
  setVariable(name: string, value: unknown): void
  /** A line in the log of the run. */
  log(message: string, level?: LogLevel): void
  /** Waits on the clock of the run. @throws when the run is cancelled */
  sleep(ms: number): Promise<void>

  /** Sends to the order path under a key of this visit and says how it ended; a refusal is a result. */
  order(call: OrderCall, body: Body): Promise<NodeResult>
  /** Reads; a refusal is a result. */
  read(call: ReadCall, body: Body): Promise<NodeResult>
  /** The name under which the result is kept; undefined when none is given. */
  outputName(): string | undefined
  /** The tag orders go by: the node's `strategyTag`, or the name of the workflow. */
  strategy(): string
}

/** How a node looks to whoever documents or validates it, and what it does. */
export interface NodeDefinition {
  readonly type: string
  readonly family: Family
  readonly effect: Effect
  /** One sentence: what it does. */
  readonly summary: string
  readonly fields: Fields
  /** Members of the result, each with what it holds, in the order in which documentation lists them. */
  readonly output: Readonly<Record<string, string>>
  /** Has `yes` and `no` handles beside the unnamed one. */
  readonly branching: boolean
  /** Whether `outputVariable` keeps the result. */
  readonly storesOutput: boolean
  /** The variable that keeps it when none is named. */
  readonly defaultOutput?: string
  /** Rules beyond those of the fields. Called with `strict` before a run, without while editing. */
  check?(data: Readonly<Body>, strict: boolean): FieldProblem[]
  run(run: NodeRun): NodeResult | undefined | Promise<NodeResult | undefined>
}

/** A problem of one field; the validator knows where the node is. */
export interface FieldProblem extends Omit<Problem, 'path'> {
  field: string
}

interface Spec<F extends Fields>
  extends Omit<NodeDefinition, 'fields' | 'output' | 'branching' | 'storesOutput' | 'run'> {
  fields: F
  output?: Readonly<Record<string, string>>
  branching?: boolean
  storesOutput?: boolean
  run(run: NodeRun<Extract<keyof F, string>>): NodeResult | undefined | Promise<NodeResult | undefined>
}

/** One row of the table of nodes. `run` can only name fields the row has. */
export function defineNode<const F extends Readonly<Record<string, Field>>>(spec: Spec<F>): NodeDefinition {
  return { output: {}, branching: false, storesOutput: false, ...spec }
}

/** A result of a node that went well: the body itself, which is the caller's own. */
export function succeeded(body: Body = {}): NodeResult {
  return Object.assign(body, SUCCESS)
}

/** The answer of a condition. */
export function decided(condition: boolean, body: Body = {}): NodeResult {
  return Object.assign(body, condition ? YES : NO)
}

/** A condition that cannot be answered: neither branch is taken. */
export function undecided(message: string, body: Body = {}): NodeResult {
  return { ...body, status: 'error', condition: false, message }
}

/** A verdict as the log of a run tells it. */
export const word = (value: boolean): string => (value ? 'True' : 'False')

const SUCCESS = { status: 'success' } as const
const YES = { ...SUCCESS, condition: true } as const
const NO = { ...SUCCESS, condition: false } as const
