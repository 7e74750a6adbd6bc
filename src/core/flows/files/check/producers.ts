import { type FlowGraph, type FlowNode, isBlank } from '../../graph/graph.js'
import type { NodeDefinition } from '../../nodes/definition.js'
import type { NodeTable } from '../read/readable.js'
import { hasOutputVariable } from '../schema/field-texts.js'

/** A node that stores a variable. */
export interface Producer {
  /** Its index in the list of nodes. */
  index: number
  /** First path segments of the stored value; undefined if it may have any. */
  members: ReadonlySet<string> | undefined
}

/** Members that every result may have. */
const ALWAYS = ['status', 'message', 'error', 'code']

/** Returns the producers of each variable. */
export function producersOf(graph: FlowGraph, table: NodeTable): Map<string, Producer[]> {
  const producers = new Map<string, Producer[]>()
  graph.nodes.forEach((node, index) => {
    const definition = table[node.type]
    const name = keptName(node, definition)
    if (name === undefined) return
    producers.set(name, [...(producers.get(name) ?? []), { index, members: membersOf(definition) }])
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

function membersOf(definition: NodeDefinition | undefined): ReadonlySet<string> | undefined {
  if (definition?.storesOutput !== true) return undefined
  const names = Object.keys(definition.output)
  if (names.length === 0) return undefined
  return new Set([...names.map((name) => name.split(/[.[]/)[0] ?? name), ...ALWAYS])
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}
