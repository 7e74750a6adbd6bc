import type { JsonSchema } from '../../src/daemon/openapi/json-schema.js'
import { MOST_DECIMALS } from '../../src/views/table/cells.js'
import type { Column } from '../../src/views/table/column.js'

/** How commands print a record. */
interface Printed {
  /** The columns of each command that prints it. */
  views: readonly (readonly Column[])[]
  adds: Readonly<Record<string, JsonSchema>>
  without: readonly string[]
}

/**
 * Returns the schema of a record as documents have it: a column of a number is a number, one of a time is ISO 8601, and a
 * missing value of a column is null. A text of the API in a column of numbers is null where it is none, such as the Multiple of a basket.
 */
export function printedSchema(schema: JsonSchema, printed: Printed): JsonSchema {
  if (schema.anyOf) {
    const { anyOf, ...rest } = schema
    return { ...rest, anyOf: anyOf.map((one) => printedSchema(one, printed)) }
  }
  const { adds, views, without } = printed
  const given = Object.entries({ ...schema.properties, ...adds }).filter(([key]) => !without.includes(key))
  const needed = new Set(schema.required)
  const declares = (columns: readonly Column[], key: string) =>
    columns.some((column) => column.key === key && column.human !== true)
  const isDeclared = (key: string) => views.some((columns) => declares(columns, key))
  const isAlways = (key: string) => needed.has(key) || views.every((columns) => declares(columns, key))
  const properties = given.map(([key, member]) => {
    const kind = views.flat().find((column) => column.key === key)?.kind
    const isNull = (isDeclared(key) && !needed.has(key)) || (isNumber(kind) && isText(member))
    return [key, withNull(ofKind(member, kind), isNull || allowsNull(member))] as const
  })
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    required: properties.map(([key]) => key).filter((key) => isAlways(key)),
  }
}

/** Returns a schema of a record with the members of a longer one, which a list leaves out. */
export function withMembersOf(schema: JsonSchema, longer: JsonSchema): JsonSchema {
  const both = new Set(longer.required)
  return {
    ...schema,
    properties: { ...membersOf(longer), ...schema.properties },
    required: (schema.required ?? []).filter((key) => both.has(key)),
  }
}

/** Returns the members of an object, or of each form that it may have. */
function membersOf({ anyOf = [], properties }: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return Object.assign({}, ...anyOf.map(membersOf), properties)
}

function ofKind(member: JsonSchema, kind: Column['kind']): JsonSchema {
  const described = member.description === undefined ? {} : { description: member.description }
  if (kind === 'time') return { ...described, type: 'string', format: 'date-time' }
  if (!isNumber(kind)) return member
  const isWhole = typesOf(member).every((type) => type === 'integer' || type === 'null')
  return { ...described, type: isWhole ? 'integer' : 'number' }
}

const isNumber = (kind: Column['kind']): boolean => kind !== undefined && MOST_DECIMALS[kind] !== undefined

const isText = (member: JsonSchema): boolean => typesOf(member).includes('string')

function withNull(member: JsonSchema, mayBeNull: boolean): JsonSchema {
  if (!mayBeNull || allowsNull(member)) return member
  const { enum: values, type } = member
  if (type === undefined)
    return Object.keys(member).length === 0 ? member : { anyOf: [member, { type: 'null' }] }
  return { ...member, type: [type, 'null'].flat(), ...(values && { enum: [...values, null] }) }
}

const allowsNull = (member: JsonSchema): boolean => typesOf(member).includes('null')

function typesOf({ anyOf = [], type = [] }: JsonSchema): readonly string[] {
  return [type, ...anyOf.map(typesOf)].flat()
}
