import type { NodeDefinition } from '../../nodes/definition.js'
import type { Field, FieldKind } from '../../nodes/field.js'
import { hasOutputVariable } from './field-texts.js'

/** A JSON Schema (draft 2020-12), or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>

const REFERENCE = '\\{\\{|\\$\\{'
const NUMERIC = '^\\s*[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?\\s*$'

/** Returns the schema of a node type's configuration, with descriptions, defaults and choices. */
export function configurationSchema(definition: NodeDefinition): JsonSchema {
  const fields = Object.entries(definition.fields)
  const needed = fields.filter(([, field]) => field.required)
  const required = needed.filter(([, { aliases = [] }]) => aliases.length === 0).map(([name]) => name)
  const aliased = needed
    .filter(([, { aliases = [] }]) => aliases.length > 0)
    .map(([name, { aliases = [] }]) => ({ anyOf: [name, ...aliases].map((one) => ({ required: [one] })) }))
  return {
    type: 'object',
    description: definition.summary,
    properties: {
      ...Object.fromEntries(fields.map(([name, field]) => [name, fieldSchema(field)])),
      ...Object.fromEntries(fields.flatMap(aliasSchemas)),
      ...(hasOutputVariable(definition) ? { outputVariable: outputVariable(definition) } : {}),
    },
    ...(required.length > 0 ? { required } : {}),
    ...(aliased.length > 0 ? { allOf: aliased } : {}),
  }
}

function aliasSchemas([name, field]: [string, Field]): [string, JsonSchema][] {
  const description = `Another name of ${name}.`
  return (field.aliases ?? []).map((alias) => [
    alias,
    { ...fieldSchema(field), description, deprecated: true },
  ])
}

function outputVariable({ defaultOutput, output }: NodeDefinition): JsonSchema {
  const members = Object.entries(output).map(([name, meaning]) => `${name}: ${meaning}`)
  return {
    type: 'string',
    description: ['The variable that stores the result.', ...members].join('\n'),
    ...(defaultOutput === undefined ? {} : { default: defaultOutput }),
  }
}

/** Returns the schema of a field in a file: its values, and references if the field resolves them. */
function fieldSchema(field: Field): JsonSchema {
  const forms = field.choices ? choiceForms(field.choices) : FORMS[field.kind](field)
  const isFilledIn = field.literal !== true && field.kind !== 'time' && field.kind !== 'text'
  const reference = isFilledIn || field.choices ? [{ type: 'string', pattern: REFERENCE }] : []
  const all = field.kind === 'json' ? [] : [...forms, ...reference, { enum: [null, ''] }]
  return {
    description: field.description,
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(all.length === 0 ? {} : { anyOf: all }),
  }
}

const FORMS: Readonly<Record<FieldKind, (field: Field) => JsonSchema[]>> = {
  text: () => [{ type: ['string', 'number', 'boolean'] }],
  number: (field) => [
    { type: 'number', ...bounds(field) },
    { type: 'string', pattern: NUMERIC },
  ],
  integer: (field) => [
    { type: 'number', ...bounds(field) },
    { type: 'string', pattern: NUMERIC },
  ],
  flag: () => [{ type: 'boolean' }, { enum: ['true', 'false', 0, 1] }],
  time: () => [{ type: 'string', pattern: '^\\d{1,2}:\\d{2}(:\\d{2})?$' }],
  json: () => [],
}

function bounds({ min, max }: Field): JsonSchema {
  return { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) }
}

/** Returns the choices twice: as the list that editors offer, and as a pattern that ignores case. */
function choiceForms(choices: readonly string[]): JsonSchema[] {
  const spelled = choices.map((choice) =>
    choice
      .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`),
  )
  return [{ enum: choices }, { type: 'string', pattern: `^\\s*(${spelled.join('|')})\\s*$` }]
}
