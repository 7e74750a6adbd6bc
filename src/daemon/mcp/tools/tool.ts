import type { Toolset } from '../../../core/config/index.js'
import type { McpScope } from '../../../core/mcp/index.js'
import type { JsonSchema } from '../../openapi/json-schema.js'
import type { KnownOperationName } from '../../operations/types.js'

/** The arguments of a call, as its caller gave them. */
export type Arguments = Readonly<Record<string, unknown>>

/** What a client may tell its user about a tool, beyond that it reads or writes. */
export interface Hints {
  /** It may end or replace what exists. */
  destructive?: true
  /** Repeating the same call changes nothing more. */
  idempotent?: true
  /** It reaches somebody outside the service and its broker. */
  outside?: true
}

/**
 * `external_text`: the answer holds texts that strangers may have written. `broker_structured`: names, numbers and the
 * broker's own sentences.
 */
export type Risk = 'broker_structured' | 'external_text'

/** What a tool may do while it runs. */
export interface ToolDesk {
  /**
   * Runs an operation of the API for the caller, with the body that its route takes.
   * @throws ServiceError, ToolRefusal
   */
  ask(operation: KnownOperationName, body: object, options?: AskOptions): Promise<object>
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
  readonly operation?: KnownOperationName
  input(): JsonSchema
  output(): JsonSchema
  /** @throws ServiceError `validation` for wrong arguments; as {@link ToolDesk.ask} */
  run(given: Arguments, desk: ToolDesk): Promise<object>
}

/** The properties that the rows of one group share. */
export type Group = Pick<Tool, 'scope' | 'toolset'> & Partial<Pick<Tool, 'changes' | 'risk'>>
