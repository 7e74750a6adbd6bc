import { type Path, pointerOf } from '../../../documents/index.js'
import { isObject } from '../../../validation/index.js'
import { type FlowGraph, type FlowNode, hasReference } from '../../graph/graph.js'
import type { NodeDefinition } from '../../nodes/definition.js'
import type { Field, Fields } from '../../nodes/field.js'
import { withMappings } from '../read/json-text.js'
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
      const field = fieldIn(definition?.fields, name)
      if (field === undefined) return []
      const isLiteral = field.literal === true || field.kind === 'time' || definition?.family === 'trigger'
      const owner = { name, field, path: ['nodes', index, 'data', name] }
      return textsOf(value, owner).map(({ path, ...one }) => ({
        node,
        index,
        isLiteral,
        ...one,
        path: pointerOf(path),
      }))
    })
  })
}

/** A field, or a member of an object in a list field, with its place in the graph. */
interface Owner {
  name: string
  field: Field
  path: Path
}
interface OwnedText extends Owner {
  text: string
}

function textsOf(value: unknown, owner: Owner): OwnedText[] {
  const { items } = owner.field
  if (items === undefined) return within(value, owner)
  if (typeof value === 'string') return textsOfList(value, owner)
  const objects: readonly unknown[] = Array.isArray(value) ? value : [value]
  return objects.flatMap((object, place) => {
    const path = Array.isArray(value) ? [...owner.path, place] : owner.path
    return isObject(object)
      ? membersOf(object, owner, place).map((member) => ({ ...member, path: [...path, ...member.path] }))
      : within(object, { ...owner, path })
  })
}

/**
 * Returns the texts of a list that is written as one text, such as CSV or JSON: the members with a reference, each with
 * its own field, and the rest of the text.
 */
function textsOfList(text: string, owner: Owner): OwnedText[] {
  const objects = owner.field.items?.of(text) ?? []
  const members = objects
    .flatMap((object, place) => (isObject(object) ? membersOf(object, owner, place) : []))
    .filter((member) => hasReference(member.text))
    .map((member) => ({ ...member, path: owner.path }))
  return [...members, { ...owner, text: without(text, members) }]
}

/** Returns a text without the texts of its members, which it has in their order. */
function without(text: string, members: readonly OwnedText[]): string {
  let [rest, place] = ['', 0]
  for (const member of members) {
    const at = text.indexOf(member.text, place)
    if (at < 0) continue
    rest += text.slice(place, at)
    place = at + member.text.length
  }
  return rest + text.slice(place)
}

/** Returns the texts in the members of an object of a list field. Paths begin at the object. */
function membersOf(
  object: Readonly<Record<string, unknown>>,
  { field, name }: Owner,
  place: number,
): OwnedText[] {
  return Object.entries(object).flatMap(([key, value]) => {
    const member = fieldIn(field.items?.fields, key)
    // An unresolved reference in any member prevents the order, as one elsewhere in the list does.
    const guarded = field.guarded === true
    return within(value, {
      name: `${name} ${place + 1}: ${key}`,
      field: member === undefined ? field : { ...member, guarded },
      path: [key],
    })
  })
}

function within(value: unknown, owner: Owner): OwnedText[] {
  if (typeof value === 'string') return [{ ...owner, text: value }]
  const at = (key: string | number): Owner => ({ ...owner, path: [...owner.path, key] })
  if (Array.isArray(value)) return value.flatMap((item, index) => within(item, at(index)))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) => within(item, at(key)))
}

/** Returns the field of a name or an alias. */
export function fieldOf(definition: NodeDefinition | undefined, name: string): Field | undefined {
  return fieldIn(definition?.fields, name)
}

function fieldIn(fields: Fields = {}, name: string): Field | undefined {
  if (Object.hasOwn(fields, name)) return fields[name]
  return Object.values(fields).find((field) => field.aliases?.includes(name))
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
