/** A workflow as data: nodes, and edges that give their order. */

/** A node. Other members (`measured`, `selected`, …) belong to editors and are kept unchanged. */
export interface FlowNode {
  id: string
  type: string
  position: { x: number; y: number }
  data: Record<string, unknown>
  [other: string]: unknown
}

export interface FlowEdge {
  id: string
  source: string
  target: string
  /**
   * `yes`/`true` or `no`/`false` of a branching node. If absent, null or empty, the edge is always followed;
   * `data: {always: true}` says that this is meant, see `always.ts`.
   */
  sourceHandle?: string | null
  /** `input-<n>` of a gate. */
  targetHandle?: string | null
  [other: string]: unknown
}

export interface FlowGraph {
  nodes: FlowNode[]
  edges: FlowEdge[]
}

export const LIMITS = {
  nodes: 500,
  edges: 1000,
  /** The trigger has depth 0. */
  depth: 100,
  visits: 500,
  /** The maximum depth of lists and objects in a node and in a value, because code walks them recursively. */
  levels: 100,
  nameLength: 255,
  delaySeconds: 300,
  /** A wait that ends later than this fails, because the run was made for another time. */
  lateWaitMs: 60_000,
  httpTimeoutMs: 60_000,
  httpResponseBytes: 1_048_576,
  /** Longest configuration of a node, in characters of JSON. */
  nodeLength: 131_072,
  /** Most references in one text. */
  references: 10_000,
  /** Longest expression with its references filled in. */
  expressionLength: 10_000,
  /** Largest computed value in characters, as text or as JSON. */
  valueLength: 1_048_576,
  /** All variables of a run together, in characters of JSON. */
  variablesLength: 4_194_304,
  /** Most secrets that one run may use: each line of its log is searched for all of them. */
  secrets: 50,
  logEntries: 5000,
  logMessageBytes: 4096,
  logLength: 1_048_576,
} as const

const PROBLEM_CODES = [
  'invalid_type',
  'required',
  'too_large',
  'duplicate',
  'unknown_node_type',
  'dangling_edge',
  'invalid_source_handle',
  'invalid_target_handle',
  'invalid_constant',
  'invalid_quantity',
  'invalid_price',
  'invalid_params',
  'invalid_method',
  'invalid_headers',
  'invalid_timeout',
  'invalid_field',
  'missing_required_field',
  'unknown_condition',
  'invalid_threshold',
  'invalid_schedule',
  'invalid_gate',
  'unclear_order',
  'unknown_output',
  'wrong_type',
  'no_trigger',
  'multiple_triggers',
  'cycle',
  'unreachable',
] as const
export type ProblemCode = (typeof PROBLEM_CODES)[number]

/** A fault of a graph. `path` is a JSON pointer into it (`/nodes/0/data/price`). */
export interface Problem {
  path: string
  code: ProblemCode
  message: string
  expected?: unknown
  received?: unknown
}

/** The branch of a condition that an edge belongs to. An edge without one is always followed. */
export type Branch = 'yes' | 'no'

const BRANCHES: Readonly<Record<string, Branch>> = { yes: 'yes', true: 'yes', no: 'no', false: 'no' }

/**
 * Returns the branch that a source handle names. All four spellings are read; only `yes` and `no` are
 * written.
 */
export function branchOf(handle: string | null | undefined): Branch | undefined {
  return handle && Object.hasOwn(BRANCHES, handle) ? BRANCHES[handle] : undefined
}

/** Returns whether a field counts as missing. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}

/** Returns whether a text contains a reference to a variable. */
export function hasReference(value: unknown): value is string {
  return typeof value === 'string' && value.includes('{{')
}
