import { type Branch, branchOf, type FlowGraph, type FlowNode } from '../graph/graph.js'
import type { NodeDefinition } from '../nodes/definition.js'
import { nodeOf } from '../nodes/index.js'

/** A node with all data the walk needs, looked up once. */
export interface Step {
  readonly node: FlowNode
  readonly definition: NodeDefinition
  readonly isGate: boolean
  /** Fields in which an unresolved reference prevents the order, sorted. */
  readonly guarded: readonly string[]
  readonly outputVariable: string | undefined
  /** In the order of the graph's edges. */
  readonly exits: Exit[]
  /** For a gate: the steps that lead into it, in the order of the edges. */
  readonly inputs: Step[]
}

interface Exit {
  readonly branch: Branch | undefined
  readonly to: Step
}

/** A graph compiled for running. */
export interface Program {
  readonly steps: readonly Step[]
  readonly trigger: Step | undefined
}

const programs = new WeakMap<FlowGraph, Program>()

/**
 * Returns the compiled graph, cached while the graph object lives. Leaves out nodes of unknown type and their
 * edges.
 */
export function programOf(graph: FlowGraph): Program {
  const known = programs.get(graph)
  if (known) return known
  const program = compile(graph)
  programs.set(graph, program)
  return program
}

function compile({ nodes, edges }: FlowGraph): Program {
  const steps = new Map<string, Step>()
  for (const node of nodes) {
    const definition = nodeOf(node.type)
    if (definition) steps.set(node.id, stepOf(node, definition))
  }
  for (const { source, target, sourceHandle } of edges) {
    const [from, to] = [steps.get(source), steps.get(target)]
    if (!from || !to) continue
    from.exits.push({ branch: branchOf(sourceHandle), to })
    if (to.isGate) to.inputs.push(from)
  }
  // A NOT gate has one input: the first edge.
  for (const step of steps.values()) if (step.node.type === 'notGate') step.inputs.splice(1)
  const all = [...steps.values()]
  return { steps: all, trigger: all.find(({ definition }) => definition.family === 'trigger') }
}

/**
 * The fields that define an order. They are guarded on every order node, even if the node does not use them.
 */
const ORDER_FIELDS = [
  'symbol',
  'exchange',
  'action',
  'quantity',
  'product',
  'priceType',
  'price',
  'triggerPrice',
]

function guardedFields({ data }: FlowNode, { fields }: NodeDefinition): string[] {
  const own = Object.entries(fields).flatMap(([name, { guarded, aliases = [] }]) =>
    guarded ? [name, ...aliases] : [],
  )
  if (own.length === 0) return []
  return [...new Set([...own, ...ORDER_FIELDS.filter((word) => word in data)])].sort()
}

function stepOf(node: FlowNode, definition: NodeDefinition): Step {
  const { outputVariable } = node.data
  const named = typeof outputVariable === 'string' ? outputVariable.trim() : ''
  return {
    node,
    definition,
    isGate: definition.effect === 'gate',
    guarded: guardedFields(node, definition),
    outputVariable: definition.storesOutput ? named || definition.defaultOutput : undefined,
    exits: [],
    inputs: [],
  }
}
