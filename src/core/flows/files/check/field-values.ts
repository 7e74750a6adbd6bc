import { didYouMean, type Path, pointerOf } from '../../../documents/index.js'
import { isObject } from '../../../validation/index.js'
import { type FlowGraph, hasReference, isBlank, type Problem } from '../../graph/graph.js'
import { interpolatedText } from '../../language/interpolation.js'
import { parseNumber } from '../../language/numbers.js'
import type { NodeDefinition } from '../../nodes/definition.js'
import type { Field, Fields } from '../../nodes/field.js'
import { brokenRule, FLAG, TIME } from '../../nodes/form.js'
import { nodeOf } from '../../nodes/index.js'

/**
 * Finds values that are written out and that their node cannot use: forms of texts, ranges of numbers, and
 * the members of written orders. Values with references are left to the run.
 */
export function valueProblems({ nodes }: FlowGraph): Problem[] {
  return nodes.flatMap(({ id, type, data }, index) => {
    const definition = nodeOf(type)
    if (definition === undefined) return []
    const path: Path = ['nodes', index, 'data']
    const own = (definition.checkValues?.(data) ?? []).map(({ field, message, ...rest }) => ({
      ...rest,
      path: pointerOf([...path, field]),
      message: `Node '${id}': ${message}`,
    }))
    return [...memberProblems(definition.fields, data, path, `Node '${id}'`, definition), ...own]
  })
}

function memberProblems(
  fields: Fields,
  data: Readonly<Record<string, unknown>>,
  path: Path,
  name: string,
  definition?: NodeDefinition,
): Problem[] {
  return Object.entries(fields).flatMap(([key, field]) =>
    [key, ...(field.aliases ?? [])].flatMap((one): Problem[] => {
      const received = data[one]
      if (isBlank(received)) return []
      if (field.items) return itemProblems(field.items, received, [...path, one], `${name}: ${one}`)
      const fault = faultOf(field, received, definition)
      if (fault === undefined) return []
      const message = `${name}: ${one} '${interpolatedText(received)}' ${fault}`
      return [{ path: pointerOf([...path, one]), code: 'invalid_field', message, received }]
    }),
  )
}

function itemProblems({ fields, of }: NonNullable<Field['items']>, saved: unknown, path: Path, name: string) {
  return of(saved).flatMap((item, index) => {
    if (!isObject(item)) return []
    const found = [
      ...choiceProblems(fields, item, `${name} ${index + 1}`),
      ...memberProblems(fields, item, [], `${name} ${index + 1}`),
    ]
    const at = Array.isArray(saved) ? [...path, index] : path
    return found.map((problem) => ({ ...problem, path: pointerOf(at) }))
  })
}

/** Checks choices of the members of a list. The validator of graphs checks those of fields. */
function choiceProblems(fields: Fields, item: Readonly<Record<string, unknown>>, name: string): Problem[] {
  return Object.entries(fields).flatMap(([key, { aliases = [], choices }]) =>
    [key, ...aliases].flatMap((one): Problem[] => {
      const received = item[one]
      if (!choices || isOpen(received)) return []
      const text = interpolatedText(received).trim()
      if (choices.some((choice) => choice.toLowerCase() === text.toLowerCase())) return []
      const message = `${name}: ${one} '${text}' is not one of ${choices.join(', ')}.${didYouMean(text, choices)}`
      return [{ path: '', code: 'invalid_field', message, received }]
    }),
  )
}

/** Returns whether a value is left to the run, or missing. */
function isOpen(value: unknown): boolean {
  return isBlank(value) || hasReference(value) || (typeof value === 'string' && value.includes('${'))
}

function faultOf(field: Field, received: unknown, definition?: NodeDefinition): string | undefined {
  const form = field.form ?? FORM_OF_KIND[field.kind]
  if (isOpen(received)) {
    const isChecked = form !== undefined || field.choices !== undefined || isNumeric(field)
    return isChecked && hasReference(received) && isUsedAsWritten(field, definition)
      ? 'is used as written: references in it are not resolved.'
      : undefined
  }
  if (form) {
    const text = interpolatedText(received)
    const rule = brokenRule(form, text)
    return rule && `${rule.replace(/[.]$/, '')}.${didYouMean(text.trim(), form.names ?? [])}`
  }
  return isNumeric(field) ? rangeFault(field, received) : undefined
}

const FORM_OF_KIND: Partial<Record<Field['kind'], Field['form']>> = { time: TIME, flag: FLAG }

function rangeFault({ kind, min, max }: Field, received: unknown): string | undefined {
  const number = typeof received === 'boolean' ? undefined : parseNumber(received)
  if (number === undefined) return 'is not a number.'
  if (min !== undefined && number < min) return `is below ${min}.`
  if (max !== undefined && number > max) return `is above ${max}.`
  return kind === 'integer' && !Number.isInteger(number) ? 'is not a whole number.' : undefined
}

const isNumeric = ({ kind }: Field): boolean => kind === 'number' || kind === 'integer'

function isUsedAsWritten({ kind, literal }: Field, definition: NodeDefinition | undefined): boolean {
  return literal === true || kind === 'time' || kind === 'flag' || definition?.family === 'trigger'
}
