import { type FlowGraph, type FlowNode, isBlank } from '../../graph/graph.js'
import type { NodeDefinition } from '../../nodes/definition.js'
import { anything, COMMON, type Output, object } from '../../nodes/output.js'
import type { NodeTable } from '../read/readable.js'
import { hasOutputVariable } from '../schema/field-texts.js'

/** A node that stores a variable. */
export interface Producer {
  /** Its index in the list of nodes. */
  index: number
  /** The type of the stored value. */
  output: Output
}

/** Returns the producers of each variable. */
export function producersOf(graph: FlowGraph, table: NodeTable): Map<string, Producer[]> {
  const producers = new Map<string, Producer[]>()
  graph.nodes.forEach((node, index) => {
    const definition = table[node.type]
    const name = keptName(node, definition)
    if (name === undefined) return
    producers.set(name, [...(producers.get(name) ?? []), { index, output: outputOf(node, definition) }])
  })
  return producers
}

function keptName({ data }: FlowNode, definition: NodeDefinition | undefined): string | undefined {
  // A node of unknown type may store anything; another check reports the type.
  if (definition === undefined) return textIn(data.outputVariable)
  const variable = definition.fields.variableName
  if (variable !== undefined) {
    const names = ['variableName', ...(variable.aliases ?? [])]
    return textIn(names.map((name) => data[name]).find((value) => !isBlank(value)))
  }
  if (!hasOutputVariable(definition)) return undefined
  const fallback = definition.storesOutput ? definition.defaultOutput : 'result'
  return textIn(data.outputVariable) ?? fallback
}

/** Returns the type of the value that a node stores. The value of a variable node may have any type. */
function outputOf({ data }: FlowNode, definition: NodeDefinition | undefined): Output {
  if (definition === undefined || definition.fields.variableName !== undefined) return anything()
  // A node without a stored result stores the single value that it computes.
  if (!definition.storesOutput) return Object.values(definition.output)[0] ?? anything()
  return object({ ...(definition.outputFor?.(data) ?? definition.output), ...COMMON })
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}
