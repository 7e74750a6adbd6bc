/** A workflow as data (specification, "Flow"): nodes, and edges that say which comes after which. */

/** One node. Members beside these (`measured`, `selected`, …) belong to editors and are kept as they are. */
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
  /** `yes`/`true` or `no`/`false` of a branching node; absent, null or empty: always followed. */
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
  /** The trigger is at depth 0. */
  depth: 100,
  visits: 500,
  /** Lists and objects within each other, in a node and in a value: what walks through them calls itself for each. */
  levels: 100,
  nameLength: 255,
  delaySeconds: 300,
  httpTimeoutMs: 60_000,
  httpResponseBytes: 1_048_576,
  /** Characters of a value that is put together, as text or as JSON. */
  valueLength: 1_048_576,
  logEntries: 5000,
  logMessageBytes: 4096,
} as const

export const PROBLEM_CODES = [
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
  'no_trigger',
  'multiple_triggers',
  'cycle',
  'unreachable',
] as const
export type ProblemCode = (typeof PROBLEM_CODES)[number]

/** What is wrong with a graph, as data: `path` is a JSON pointer into it (`/nodes/0/data/price`). */
export interface Problem {
  path: string
  code: ProblemCode
  message: string
  expected?: unknown
  received?: unknown
}

/** The side of a condition that an edge leaves from; undefined is always followed. */
export type Branch = 'yes' | 'no'

const BRANCHES: Readonly<Record<string, Branch>> = { yes: 'yes', true: 'yes', no: 'no', false: 'no' }

/** The branch a source handle names: all four spellings are known, two are written. */
export function branchOf(handle: string | null | undefined): Branch | undefined {
  return handle && Object.hasOwn(BRANCHES, handle) ? BRANCHES[handle] : undefined
}

/** Whether a field counts as left out. */
export function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}

/** Whether a text waits for a variable. */
export function hasReference(value: unknown): value is string {
  return typeof value === 'string' && value.includes('{{')
}
