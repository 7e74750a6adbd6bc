import { type Path, pointerOf } from '../../../documents/index.js'
import { isObject } from '../../../validation/index.js'
import { type FlowGraph, isBlank, type Problem } from '../../graph/graph.js'
import { interpolatedText } from '../../language/interpolation.js'
import type { Effect, NodeDefinition } from '../../nodes/definition.js'
import type { Field } from '../../nodes/field.js'
import { nodeOf } from '../../nodes/index.js'
import type { WorkflowFile } from '../read/read.js'
import type { GraphFinding } from './references.js'

/** What decides when and how much is traded. A blank in what only reads changes no order by itself. */
const ACTING: readonly Effect[] = ['trigger', 'order', 'reduce', 'condition', 'gate', 'time']

/**
 * Finds fields that are written without a value. A run takes them as left out, as the public system does, whose editor
 * writes empty fields: so the workflow trades at another time, or another quantity, than the file seems to say.
 */
export function blankProblems({ nodes }: FlowGraph): Problem[] {
  return nodes.flatMap(({ id, type, data }, index) => {
    const definition = nodeOf(type)
    if (definition === undefined || !ACTING.includes(definition.effect)) return []
    return blanksIn(definition, data, ['nodes', index, 'data'], `Node '${id}'`)
  })
}

/** Reports blanks as errors of a file that somebody wrote, and as warnings of a graph that an editor wrote. */
export function blankFindings({ form, graph }: WorkflowFile): GraphFinding[] {
  const severity = form === 'readable' ? 'error' : 'warning'
  return blankProblems(graph).map(({ code, message, path }) => ({ severity, code, message, path }))
}

type Data = Readonly<Record<string, unknown>>

function blanksIn(
  { fields, unused }: Pick<NodeDefinition, 'fields' | 'unused'>,
  data: Data,
  path: Path,
  name: string,
): Problem[] {
  const skipped = unused?.(data) ?? []
  return Object.entries(fields).flatMap(([key, field]): Problem[] => {
    if (skipped.includes(key)) return []
    const names = [key, ...(field.aliases ?? [])]
    const written = names.filter((one) => Object.hasOwn(data, one))
    if (names.some((one) => !isBlank(data[one]))) {
      return field.items ? blanksInItems(field.items, data[key], [...path, key], `${name}: ${key}`) : []
    }
    if (!decides(field)) return []
    return written.map((one) => {
      const instead = isBlank(field.default)
        ? 'left out'
        : `${interpolatedText(field.default)}, as if it were left out`
      const message = `${name}: ${one} has no value, so it counts as ${instead}. Write a value, or leave ${one} out.`
      return { path: pointerOf([...path, one]), code: 'invalid_field', message, received: data[one] }
    })
  })
}

/** A required field that is blank is refused anyway. A text without a default is a name, or a filter that is off. */
function decides({ default: fallback, kind, required }: Field): boolean {
  return !required && (fallback !== undefined || kind === 'number' || kind === 'integer' || kind === 'time')
}

function blanksInItems(
  { fields, of }: NonNullable<Field['items']>,
  saved: unknown,
  path: Path,
  name: string,
): Problem[] {
  return of(saved).flatMap((item, index) => {
    if (!isObject(item)) return []
    const at = Array.isArray(saved) ? [...path, index] : path
    return blanksIn({ fields }, item, [], `${name} ${index + 1}`).map((one) => ({
      ...one,
      path: pointerOf(at),
    }))
  })
}
