import type { z } from 'zod'
import { guess } from '../read/near.js'
import type { Path } from '../read/pointer.js'
import type { Source } from '../read/source.js'
import type { Finding } from './finding.js'

/** Mistakes of one kind that are told; a file made of nothing else must not cost more than one with a mistake. */
const MAX_TOLD = 20

/** What does not have the form `schema` asks for, each where it stands; unknown keys with the nearest known name. */
export function shapeFindings(
  source: Source,
  schema: z.ZodType,
  issues: readonly z.core.$ZodIssue[],
): Finding[] {
  return issues.slice(0, MAX_TOLD).flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
    if (issue.code !== 'unrecognized_keys') {
      return [source.finding(path, 'invalid_value', `${nameOf(path)}: ${issue.message}`)]
    }
    const known = keysAt(schema, path)
    return issue.keys
      .slice(0, MAX_TOLD)
      .map((key) => source.finding([...path, key], 'unknown_key', unknownKeyText(key, known), 'key'))
  })
}

function unknownKeyText(key: string, known: readonly string[]): string {
  return `There is no "${key}".${guess(key, known) || ` Known here: ${known.join(', ')}.`}`
}

function nameOf(path: Path): string {
  return path.length === 0 ? 'the document' : path.join('.')
}

/** The keys a schema knows at a path, of all its alternatives. */
function keysAt(schema: unknown, path: Path): string[] {
  if (!isSchema(schema)) return []
  const { innerType, in: input, options, shape, element, valueType, catchall } = schema.def
  if (innerType ?? input) return keysAt(innerType ?? input, path)
  if (Array.isArray(options)) return options.flatMap((one) => keysAt(one, path))
  const [part, ...rest] = path
  if (part === undefined) return isRecord(shape) ? Object.keys(shape) : []
  const member = isRecord(shape) ? shape[String(part)] : undefined
  return keysAt(member ?? element ?? valueType ?? catchall, rest)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isSchema(value: unknown): value is { def: Record<string, unknown> } {
  return isRecord(value) && isRecord(value.def)
}
