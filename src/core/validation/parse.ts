import type { z } from 'zod'
import { type FieldErrors, validationError } from '../errors/index.js'

/** How near two names must be for the one to be offered when the other was sent. */
const MAX_EDIT_DISTANCE = 2
/** Unknown fields that are told; a body made of nothing else must not cost more than one with a mistake. */
const MAX_UNKNOWN_TOLD = 20
/** Characters of an unknown name that are told. */
const MAX_NAME_TOLD = 100

/**
 * Parses `input` or throws a `validation` error with every field that failed. Unknown fields are refused, with
 * the nearest known name: a mistyped field on an order must never be dropped in silence.
 * @throws ServiceError `validation` (HTTP 400), shape of contract decision 1.
 */
export function parseWith<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  throw validationError(fieldErrors(result.error.issues, schema))
}

/**
 * Zod issues as texts by field path, in order of declaration, unknown fields last. `others` are fields that stand
 * beside those of the schema: a mistyped name may be meant to be one of them.
 */
export function fieldErrors(
  issues: readonly z.core.$ZodIssue[],
  schema?: z.ZodType,
  others: readonly string[] = [],
): FieldErrors {
  const errors: FieldErrors = Object.create(null)
  const unknown: FieldErrors = Object.create(null)
  for (const issue of issues) {
    const path = issue.path.map(String)
    if (issue.code === 'unrecognized_keys') {
      const known = path.length === 0 ? [...others, ...knownFields(schema)] : []
      for (const key of issue.keys.slice(0, MAX_UNKNOWN_TOLD)) {
        unknown[[...path, key.slice(0, MAX_NAME_TOLD)].join('.')] = [unknownFieldText(key, known)]
      }
      continue
    }
    const field = path.length === 0 ? '_schema' : path.join('.')
    const isNoObject = issue.code === 'invalid_type' && (path.length === 0 || issue.expected === 'object')
    const text = isNoObject ? 'Invalid input type.' : issue.message
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

/** The known name that a mistyped one was probably meant to be. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const bare = (field: string) => field.toLowerCase().replaceAll(/[_-]/g, '')
  const short = name.slice(0, MAX_NAME_TOLD)
  const near = known.find((field) => bare(field) === bare(short))
  return near ?? known.find((field) => editDistance(field, short) <= MAX_EDIT_DISTANCE)
}

function unknownFieldText(name: string, known: readonly string[]): string {
  const best = nearestName(name, known)
  return best ? `Unknown field. Did you mean "${best}"?` : 'Unknown field.'
}

/** Levenshtein distance; both texts are short field names. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      current[j] = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, substitution)
    }
    previous = current
  }
  return previous[b.length] ?? 0
}
