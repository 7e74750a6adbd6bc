import type { FlowGraph, FlowNode } from '../../graph/graph.js'
import { isObject } from '../../language/interpolation.js'
import type { NodeDefinition } from '../../nodes/definition.js'
import type { Field } from '../../nodes/field.js'
import { withMappings } from '../read/json-text.js'
import { type Path, pointerOf } from '../read/pointer.js'
import type { NodeTable } from '../read/readable.js'

/** A text in a field of a node. */
export interface FieldText {
  node: FlowNode
  /** Index of the node in the list of nodes. */
  index: number
  /** Name of the field. */
  name: string
  text: string
  field: Field
  /** True if the field is used as written, so that references in it are never resolved. */
  isLiteral: boolean
  /** JSON pointer into the graph. */
  path: string
}

/** Returns all texts in the fields of nodes of known type, also those inside lists and objects. */
export function fieldTexts(graph: FlowGraph, table: NodeTable): FieldText[] {
  return graph.nodes.flatMap((node, index) => {
    const definition = table[node.type]
    return Object.entries(withMappings(node.data, definition)).flatMap(([name, value]) => {
      const field = fieldOf(definition, name)
      if (field === undefined) return []
      const isLiteral = field.literal === true || field.kind === 'time' || definition?.family === 'trigger'
      return within(value, ['nodes', index, 'data', name]).map((one) => ({
        node,
        index,
        name,
        field,
        isLiteral,
        ...one,
      }))
    })
  })
}

function within(value: unknown, path: Path): { text: string; path: string }[] {
  if (typeof value === 'string') return [{ text: value, path: pointerOf(path) }]
  if (Array.isArray(value)) return value.flatMap((item, index) => within(item, [...path, index]))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) => within(item, [...path, key]))
}

/** Returns the field of a name or an alias. */
export function fieldOf(definition: NodeDefinition | undefined, name: string): Field | undefined {
  if (definition === undefined) return undefined
  if (Object.hasOwn(definition.fields, name)) return definition.fields[name]
  return Object.values(definition.fields).find((field) => field.aliases?.includes(name))
}

/** Returns whether a node stores its result in the variable named by `outputVariable`. */
export function hasOutputVariable(definition: NodeDefinition): boolean {
  return definition.storesOutput || definition.type === 'mathExpression'
}

/** Returns the names that a node's configuration may have. */
export function knownNames(definition: NodeDefinition): string[] {
  return [
    ...Object.entries(definition.fields).flatMap(([name, field]) => [name, ...(field.aliases ?? [])]),
    'label',
    ...(hasOutputVariable(definition) ? ['outputVariable'] : []),
  ]
}
