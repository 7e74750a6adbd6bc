import type { z } from 'zod'
import { editDistance, type FieldErrors, validationError } from '../errors/index.js'

/** The maximum edit distance at which a known name is suggested for an unknown one. */
const MAX_EDIT_DISTANCE = 2
/**
 * The number of unknown fields that are reported, so that a body of only unknown fields costs no more than
 * one mistake.
 */
const MAX_UNKNOWN_REPORTED = 20
/** The number of faulty fields that are reported, of lists of thousands. */
const MAX_REPORTED = 100
/** The number of characters of an unknown name that are reported. */
const MAX_NAME_REPORTED = 100

/**
 * Parses `input`, or throws a `validation` error with every field that failed. Unknown fields are refused and
 * the nearest known name is suggested, because a mistyped field of an order must never be ignored silently.
 * @throws ServiceError `validation`, with the texts by field as `errors`
 */
export function parseWith<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  throw validationError(fieldErrors(result.error.issues, schema))
}

/**
 * Returns Zod issues as texts by field path, in order of declaration, with unknown fields last. `others` are
 * the valid fields outside the schema, so that a mistyped name may be matched with them.
 */
export function fieldErrors(
  issues: readonly z.core.$ZodIssue[],
  schema?: z.ZodType,
  others: readonly string[] = [],
): FieldErrors {
  const errors: FieldErrors = Object.create(null)
  const unknown: FieldErrors = Object.create(null)
  for (const issue of issues.slice(0, MAX_REPORTED)) {
    const path = issue.path.map(String)
    if (issue.code === 'unrecognized_keys') {
      const known = path.length === 0 ? [...others, ...knownFields(schema)] : []
      for (const key of issue.keys.slice(0, MAX_UNKNOWN_REPORTED)) {
        unknown[[...path, key.slice(0, MAX_NAME_REPORTED)].join('.')] = [unknownFieldText(key, known)]
      }
      continue
    }
    const field = path.length === 0 ? '_schema' : path.join('.')
    const isNotObject = issue.code === 'invalid_type' && (path.length === 0 || issue.expected === 'object')
    const text = isNotObject ? 'Invalid input type.' : issue.message
    errors[field] = [...(errors[field] ?? []), text]
  }
  return { ...errors, ...unknown }
}

function knownFields(schema: z.ZodType | undefined): string[] {
  if (!schema) return []
  if ('shape' in schema && schema.shape && typeof schema.shape === 'object') return Object.keys(schema.shape)
  const inner = 'in' in schema.def ? schema.def.in : undefined
  return inner ? knownFields(inner as z.ZodType) : []
}

/** Returns the known name that a mistyped name most likely means. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const bare = (field: string) => field.toLowerCase().replaceAll(/[_-]/g, '')
  const short = name.slice(0, MAX_NAME_REPORTED)
  const near = known.find((field) => bare(field) === bare(short))
  if (near !== undefined) return near
  const measured = known.map((field) => ({ field, distance: editDistance(field, short) }))
  const best = measured.reduce((a, b) => (b.distance < a.distance ? b : a), { field: '', distance: Infinity })
  return best.distance <= MAX_EDIT_DISTANCE ? best.field : undefined
}

function unknownFieldText(name: string, known: readonly string[]): string {
  const best = nearestName(name, known)
  return best ? `Unknown field. Did you mean "${best}"?` : 'Unknown field.'
}
