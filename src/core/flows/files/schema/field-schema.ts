import type { NodeDefinition } from '../../nodes/definition.js'
import type { Field, FieldKind, Fields } from '../../nodes/field.js'
import { TIME } from '../../nodes/form.js'
import { typeText } from '../../nodes/output.js'
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
  const members = Object.entries(output)
    .filter(([, { description }]) => description !== '')
    .map(([name, one]) => `${name} (${typeText(one)}): ${one.description}`)
  return {
    type: 'string',
    description: ['The variable that stores the result.', ...members].join('\n'),
    ...(defaultOutput === undefined ? {} : { default: defaultOutput }),
  }
}

/** Returns the schema of a field in a file: its values, and references if the field resolves them. */
function fieldSchema(field: Field): JsonSchema {
  const forms = formsOf(field)
  const isFilledIn = field.literal !== true && field.kind !== 'time' && !isAnyText(field)
  const reference = isFilledIn || field.choices ? [{ type: 'string', pattern: REFERENCE }] : []
  const mapping = field.jsonText ? [{ type: 'object' }] : []
  const isOpen = field.kind === 'json' && !field.items
  const all = isOpen ? [] : [...forms, ...mapping, ...reference, { enum: [null, ''] }]
  return {
    description: field.description,
    ...(field.default === undefined ? {} : { default: field.default }),
    ...(all.length === 0 ? {} : { anyOf: all }),
  }
}

function isAnyText({ kind, form }: Field): boolean {
  return kind === 'text' && form === undefined
}

function formsOf(field: Field): JsonSchema[] {
  const { choices, form, items, kind } = field
  if (choices) return choiceForms(choices)
  if (items) return itemForms(items.fields)
  if (form?.names) return form.exact ? [{ enum: form.names }] : choiceForms(form.names)
  if (form?.pattern) return [...(kind === 'text' ? [] : numberForms(kind)), textForm(form.pattern)]
  return FORMS[kind](field)
}

/** A number is also the text that a pattern describes. */
function numberForms(kind: FieldKind): JsonSchema[] {
  return kind === 'number' || kind === 'integer' ? [{ type: 'number' }] : []
}

/** Returns the schema of a text with a form. Spaces around it do not count. */
function textForm(pattern: string): JsonSchema {
  return { type: 'string', pattern: pattern.replace(/^\^/, '^\\s*').replace(/\$$/, '\\s*$') }
}

/** Returns the schema of a list of objects, or of a text or an object that stands for a list. */
function itemForms(fields: Fields): JsonSchema[] {
  const members = Object.entries(fields).flatMap(([name, field]) =>
    [name, ...(field.aliases ?? [])].map((one) => [one, fieldSchema(field)]),
  )
  const item = { type: 'object', properties: Object.fromEntries(members) }
  return [
    { type: 'array', items: { anyOf: [item, { type: ['string', 'number'] }] } },
    item,
    { type: 'string' },
  ]
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
  time: () => [textForm(TIME.pattern)],
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
