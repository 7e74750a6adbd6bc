import type { OrderCall } from '../../orders/index.js'
import type { RowsFirst } from '../../storage/index.js'
import type { TradingMode } from '../../trading/index.js'
import { isBlank } from '../graph/graph.js'
import {
  interpolate,
  interpolateAll,
  interpolatedText,
  resolve,
  type Scope,
} from '../language/interpolation.js'
import { parseNumber } from '../language/numbers.js'
import {
  type LogLevel,
  type NodeDefinition,
  NodeError,
  type NodeResult,
  type NodeRun,
  resultOfCall,
} from '../nodes/definition.js'
import type { Field } from '../nodes/field.js'
import { savedFlag } from '../nodes/form.js'
import type { Body, CallResult, FlowPorts, ReadCall } from '../ports.js'
import type { Cancellation } from './cancellation.js'
import { waitFor, waitUntil } from './waits.js'

/** The state that all node visits of a run share. */
export interface RunContext {
  readonly workflowName: string
  readonly userId: string
  readonly ports: FlowPorts
  readonly cancellation: Cancellation
  readonly variables: ReadonlyMap<string, unknown>
  /** @throws NodeError for a value that is too long */
  setVariable(name: string, value: unknown): void
  readonly scope: Scope
  log(message: string, level?: LogLevel): void
  /** The row that says that the run has begun. A run that is not stored has none. */
  readonly begin: RowsFirst | undefined
  /** The only mode in which its orders may be sent. */
  readonly onlyMode: TradingMode | undefined
}

const MISSING: Field = { kind: 'text', description: '' }

/** One visit of a node: its configuration with references resolved, and the ports it uses. */
export class NodeVisit implements NodeRun {
  readonly #context: RunContext
  readonly #definition: NodeDefinition
  readonly #data: Readonly<Body>
  readonly #key: string
  #sent = 0

  readonly inputs: readonly boolean[]

  /** `key` identifies the visit across all runs; it is part of the idempotency key of each order. */
  constructor(
    context: RunContext,
    definition: NodeDefinition,
    data: Readonly<Body>,
    key: string,
    inputs: readonly boolean[] = [],
  ) {
    this.#context = context
    this.#definition = definition
    this.#data = data
    this.#key = key
    this.inputs = inputs
  }

  get workflowName(): string {
    return this.#context.workflowName
  }

  get userId(): string {
    return this.#context.userId
  }

  get ports(): FlowPorts {
    return this.#context.ports
  }

  get signal(): AbortSignal {
    return this.#context.cancellation.signal
  }

  text(field: string): string {
    const spec = this.#field(field)
    const saved = this.raw(field)
    if (saved === undefined) return ''
    const text =
      typeof saved === 'string' && spec.literal !== true
        ? interpolate(saved, this.#context.scope)
        : interpolatedText(saved)
    return spec.choices === undefined ? text : choiceOf(field, text, spec.choices)
  }

  number(field: string): number {
    const saved = this.raw(field)
    const value = typeof saved === 'string' ? interpolate(saved, this.#context.scope) : saved
    const number = parseNumber(value)
    if (number === undefined) {
      throw new NodeError(
        `${field} did not resolve to a number: '${value === undefined ? '' : interpolatedText(value)}'`,
      )
    }
    return number
  }

  integer(field: string): number {
    return Math.trunc(this.number(field))
  }

  flag(field: string): boolean {
    const value = this.raw(field)
    const flag = value === undefined ? false : savedFlag(value)
    if (flag === undefined) throw new NodeError(`${field} '${interpolatedText(value)}' is not true or false`)
    return flag
  }

  raw(field: string): unknown {
    const { default: fallback, aliases = [] } = this.#field(field)
    for (const name of [field, ...aliases]) {
      const value = this.#data[name]
      if (!isBlank(value)) return value
    }
    return fallback
  }

  value(field: string): unknown {
    return resolve(this.raw(field), this.#context.scope)
  }

  blank(field: string): boolean {
    return [field, ...(this.#field(field).aliases ?? [])].every((name) => isBlank(this.#data[name]))
  }

  interpolate(text: string): string {
    return interpolate(text, this.#context.scope)
  }

  interpolateAll(value: unknown): unknown {
    return interpolateAll(value, this.#context.scope)
  }

  resolve(value: unknown): unknown {
    return resolve(value, this.#context.scope)
  }

  spend(characters: number): void {
    this.#context.scope.spend?.(characters)
  }

  getVariable(name: string): unknown {
    return this.#context.variables.get(name)
  }

  setVariable(name: string, value: unknown): void {
    this.#context.setVariable(name, value)
  }

  log(message: string, level: LogLevel = 'info'): void {
    this.#context.log(message, level)
  }

  async sleep(ms: number): Promise<void> {
    if (!this.ports.skipsWaits) await waitFor(ms, this.ports.clock, this.signal)
  }

  async sleepUntil(instant: number): Promise<void> {
    if (!this.ports.skipsWaits) await waitUntil(instant, this.ports.clock, this.signal)
  }

  async order(call: OrderCall, body: Body): Promise<CallResult> {
    this.#context.cancellation.throwIfCancelled()
    this.#sent += 1
    const idempotencyKey = `${this.#key}:${this.#sent}`
    const { begin, onlyMode } = this.#context
    const context = {
      userId: this.userId,
      idempotencyKey,
      ...(begin && { first: begin }),
      ...(onlyMode && { onlyMode }),
    }
    const result = await this.ports.orders.send(call, body, context)
    // A run whose row could not be stored ends here: the result is only a refusal, and a run goes on after one.
    await begin?.settled()
    return result
  }

  async read(call: ReadCall, body: Body): Promise<NodeResult> {
    this.#context.cancellation.throwIfCancelled()
    void this.#context.begin?.store()
    return resultOfCall(await this.ports.reads.ask(call, body, { userId: this.userId }))
  }

  outputName(): string | undefined {
    const name = this.#data.outputVariable
    return typeof name === 'string' && name.trim() !== '' ? name.trim() : this.#definition.defaultOutput
  }

  strategy(): string {
    const tag = this.#data.strategyTag
    return isBlank(tag) ? this.workflowName : interpolate(interpolatedText(tag), this.#context.scope)
  }

  #field(name: string): Field {
    return this.#definition.fields[name] ?? MISSING
  }
}

/** Returns the choice that a text names, in the choice's own spelling. */
function choiceOf(field: string, text: string, choices: readonly string[]): string {
  const lowered = text.trim().toLowerCase()
  const found = choices.find((choice) => choice.toLowerCase() === lowered)
  if (found === undefined) throw new NodeError(`${field} '${text}' is not one of ${choices.join(', ')}`)
  return found
}
