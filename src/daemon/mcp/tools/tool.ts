import type { Toolset } from '../../../core/config/index.js'
import type { McpScope } from '../../../core/mcp/index.js'
import type { JsonSchema } from '../../openapi/json-schema.js'
import type { OperationName } from '../../operations/operation.js'
import type { Hints, Risk } from '../../operations/tool-facts.js'

/** The arguments of a call, as its caller gave them. */
export type Arguments = Readonly<Record<string, unknown>>

/** What a tool may do while it runs. */
export interface ToolContext {
  /**
   * Runs an operation of the API for the caller, with the body that its route takes.
   * @throws ServiceError, ToolRefusal
   */
  ask(operation: OperationName, body: object, options?: AskOptions): Promise<object>
  /** Returns the Indian date of today. */
  today(): string
  /** Returns the first rows of the instruments of all exchanges or of one. */
  instruments(exchange: string | undefined, limit: number): { total: number; rows: object[] }
}

export interface AskOptions {
  /** The caller's own key against double execution. */
  idempotencyKey?: string | undefined
}

/** One tool. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly scope: McpScope
  readonly toolset: Toolset
  /** True if it changes something: access that only reads leaves it out. */
  readonly changes: boolean
  readonly hints: Hints
  /** True if it takes an idempotency_key. */
  readonly takesKey: boolean
  readonly risk: Risk
  /** The operation it runs; undefined for a tool that computes its answer from several. */
  readonly operation?: OperationName
  input(): JsonSchema
  output(): JsonSchema
  /** @throws ServiceError `validation` for wrong arguments; as {@link ToolContext.ask} */
  run(given: Arguments, context: ToolContext): Promise<object>
}

/** The properties that the rows of one group share. */
export type Group = Pick<Tool, 'scope' | 'toolset'> & Partial<Pick<Tool, 'changes' | 'risk'>>
