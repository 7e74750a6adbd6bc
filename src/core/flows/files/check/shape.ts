import type { z } from 'zod'
import type { Path, Source } from '../../../documents/index.js'
import { didYouMean } from '../../../documents/index.js'
import { keysAt } from '../../../validation/index.js'
import type { Finding } from './finding.js'

/** Most findings of one kind, so that a file full of mistakes costs no more than one with a few. */
const MAX_REPORTED = 20

/** Returns a finding for each deviation from `schema`. An unknown key comes with the nearest known name. */
export function shapeFindings(
  source: Source,
  schema: z.ZodType,
  issues: readonly z.core.$ZodIssue[],
): Finding[] {
  return issues.slice(0, MAX_REPORTED).flatMap((issue): Finding[] => {
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
