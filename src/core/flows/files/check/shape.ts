import type { z } from 'zod'
import { didYouMean } from '../read/did-you-mean.js'
import type { Path } from '../read/pointer.js'
import type { Source } from '../read/source.js'
import type { Finding } from './finding.js'

/** Most findings of one kind, so that a file full of mistakes costs no more than one with a few. */
const MAX_REPORTED = 20

/** Returns a finding for each deviation from `schema`. An unknown key comes with the nearest known name. */
export function shapeFindings(
  source: Source,
  schema: z.ZodType,
  issues: readonly z.core.$ZodIssue[],
): Finding[] {
  return issues.slice(0, MAX_REPORTED).flatMap((issue) => {
    const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
    if (issue.code !== 'unrecognized_keys') {
      return [source.finding(path, 'invalid_value', `${nameOf(path)}: ${issue.message}`)]
    }
    const known = keysAt(schema, path)
    return issue.keys
      .slice(0, MAX_REPORTED)
      .map((key) => source.finding([...path, key], 'unknown_key', unknownKeyText(key, known), 'key'))
  })
}

function unknownKeyText(key: string, known: readonly string[]): string {
  return `There is no "${key}".${didYouMean(key, known) || ` Known names: ${known.join(', ')}.`}`
}

function nameOf(path: Path): string {
  return path.length === 0 ? 'the document' : path.join('.')
}

/** Returns the keys that a schema knows at a path, from all its alternatives. */
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
