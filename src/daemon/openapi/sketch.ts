import type { JsonSchema } from './json-schema.js'

const INDENT = '  '
/** The most characters of a shape that is written on one line. */
const LINE = 72

/** Returns a schema in short notation: `{ status: "success", orderid: string, mode?: "analyze" }`. */
export function sketch(schema: JsonSchema, indent = ''): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'object'
  if (schema.anyOf) return [...new Set(schema.anyOf.map((one) => sketch(one, indent)))].join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.items) return `${grouped(sketch(schema.items, indent))}[]`
  if (schema.properties) return shape(schema, schema.properties, indent)
  if (typeof schema.additionalProperties === 'object') {
    return `{ [name]: ${sketch(schema.additionalProperties, indent)} }`
  }
  if (Array.isArray(schema.type)) return schema.type.join(' | ')
  return schema.type ?? 'any'
}

const grouped = (text: string) => (text.includes(' | ') && !text.startsWith('{') ? `(${text})` : text)

function shape(schema: JsonSchema, properties: Record<string, JsonSchema>, indent: string): string {
  const inner = indent + INDENT
  const members = Object.entries(properties).map(([name, value]) => {
    const isRequired = schema.required?.includes(name) ?? false
    return `${name}${isRequired ? '' : '?'}: ${sketch(value, inner)}`
  })
  const line = `{ ${members.join(', ')} }`
  if (indent.length + line.length <= LINE && !line.includes('\n')) return line
  return `{\n${members.map((member) => inner + member).join('\n')}\n${indent}}`
}
