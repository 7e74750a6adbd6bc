import type { JsonSchema } from '../../src/daemon/openapi/json-schema.js'

const NAME = /^[A-Za-z_$][\w$]*$/
/** The longest type that stands on one line. */
const WIDTH = 100

/**
 * Returns the TypeScript type of the values that a JSON Schema allows. Limits, such as a pattern, are not in it;
 * descriptions are its comments.
 * @param indent the spaces before the line on which the type begins
 * @throws Error for a reference: no schema of an operation refers to another
 */
export function typeText(schema: JsonSchema, indent = ''): string {
  if (schema.$ref !== undefined) throw new Error(`no type for a reference (${schema.$ref})`)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)))
  const choices = schema.anyOf ?? listOf(schema.oneOf)
  if (choices) return union(choices.map((choice) => typeText(choice, indent)))
  const parts = listOf(schema.allOf)
  if (parts) return parts.map((part) => itemText(part, indent)).join(' & ')
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((type) => typeText({ ...schema, type }, indent)))
  }
  return textOfType(schema.type, schema, indent)
}

function textOfType(type: string | undefined, schema: JsonSchema, indent: string): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return arrayText(schema, indent)
    case 'object':
      return objectText(schema, indent)
    default:
      return 'unknown'
  }
}

function arrayText({ items, prefixItems }: JsonSchema, indent: string): string {
  const members = listOf(prefixItems)
  if (members) return `readonly [${members.map((member) => typeText(member, indent)).join(', ')}]`
  return `readonly ${items === undefined ? 'unknown' : itemText(items, indent)}[]`
}

function objectText(
  { properties = {}, required = [], additionalProperties }: JsonSchema,
  indent: string,
): string {
  const named = Object.entries(properties)
  const members = named.flatMap(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?'
    const key = NAME.test(name) ? name : JSON.stringify(name)
    return [...comment(schema.description), `${key}${mark}: ${typeText(schema, `${indent}  `)}`]
  })
  const others = otherMembers(named.length > 0, additionalProperties, `${indent}  `)
  return inBraces(others === undefined ? members : [...members, others], indent)
}

/** Returns the members that have no name in the schema. Beside named ones they may have any type. */
function otherMembers(
  areNamed: boolean,
  schema: JsonSchema['additionalProperties'],
  indent: string,
): string | undefined {
  if (schema === false || (schema === undefined && areNamed)) return undefined
  const type = areNamed || typeof schema !== 'object' ? 'unknown' : typeText(schema, indent)
  return `[member: string]: ${type}`
}

/** Returns a description as lines before its member. */
export function comment(description: string | undefined): readonly string[] {
  return description === undefined ? [] : [`/** ${description.replaceAll('*/', '* /')} */`]
}

/** Returns the type of an object with these members: on one line if there is room, and no comment. */
export function inBraces(members: readonly string[], indent: string): string {
  if (members.length === 0) return '{}'
  const line = `{ ${members.join('; ')} }`
  const isShort = line.length + indent.length <= WIDTH && !/\n|\/\*\*/.test(line)
  return isShort ? line : `{\n${members.map((member) => `${indent}  ${member}\n`).join('')}${indent}}`
}

function union(members: readonly string[]): string {
  return [...new Set(members)].join(' | ')
}

/** Returns the type of an item: in brackets if it is one of several types. */
function itemText(schema: JsonSchema, indent: string): string {
  const type = typeText(schema, indent)
  // A tuple begins with a word of its own.
  const isOne =
    !Array.isArray(schema.prefixItems) &&
    [schema.anyOf, schema.oneOf, schema.allOf, schema.enum, schema.type].every(
      (list) => !Array.isArray(list) || list.length === 1,
    )
  return isOne ? type : `(${type})`
}

/** Returns the schemas that a keyword lists. */
function listOf(value: unknown): JsonSchema[] | undefined {
  return Array.isArray(value) ? value : undefined
}
