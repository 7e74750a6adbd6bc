import type { Toolset } from '../../core/config/index.js'
import type { McpScope } from '../../core/mcp/index.js'

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

/** How the arguments of a tool become the payload of its operation. */
export interface Mapping {
  /** The members of the payload whose argument has another name, by that name; also inside lists. */
  names?: Readonly<Record<string, string>>
  /** The values of arguments that the caller may leave out. */
  defaults?: Readonly<Record<string, unknown>>
  /** The members of the payload that the tool sets itself. */
  fixed?: Readonly<Record<string, unknown>>
  /** Optional members of the payload that the tool does not have. */
  without?: readonly string[]
}

/** The tool by which assistants run an operation. */
export interface ToolFacts extends Mapping {
  name: string
  title: string
  scope: McpScope
  toolset: Toolset
  /** Sentences after the summary of the operation. */
  more?: string
  hints?: Hints
}

/** The strategy of orders whose caller names none; clients of the public system know it. */
export const TOOL_STRATEGY = 'python mcp'
