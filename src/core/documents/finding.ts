import { nearestName } from '../validation/index.js'

/** A position in a file; line and column count from 1. */
export interface FilePosition {
  line: number
  column: number
}

const SEVERITIES = ['error', 'warning'] as const
export type Severity = (typeof SEVERITIES)[number]

/** The codes of faults that any file may have. */
export type DocumentCode =
  | 'syntax'
  | 'file_too_large'
  | 'duplicate_key'
  | 'too_many_aliases'
  | 'ambiguous_number'
  | 'unknown_key'
  | 'invalid_value'
  | 'invalid_id'
  | 'duplicate_id'
  | 'unknown_symbol'

/** A fault in a file with its position. `path` is a JSON pointer into the document. */
export interface Finding<Code extends string = DocumentCode> extends FilePosition {
  file: string
  severity: Severity
  code: Code
  path: string
  message: string
}

/** The result of reading a file: its content, or the findings that prevent it. */
export type ReadResult<T, Code extends string = DocumentCode> =
  | { ok: true; value: T }
  | { ok: false; findings: Finding<Code>[] }

/** Returns `flows/a.yaml:3:5: error[cycle]: …`, a form that editors and CI understand. */
export function findingText(finding: Finding<string>): string {
  const { file, line, column, severity, code, message } = finding
  return `${file}:${line}:${column}: ${severity}[${code}]: ${message}`
}

/** Sorts findings by position, errors before warnings. */
export function inOrder<Code extends string>(findings: readonly Finding<Code>[]): Finding<Code>[] {
  const rank = (finding: Finding<Code>) => SEVERITIES.indexOf(finding.severity)
  return [...findings].sort((a, b) => a.line - b.line || a.column - b.column || rank(a) - rank(b))
}

/**
 * Shorter names often differ by a letter or two on purpose. They match only if one is a prefix of the other.
 */
const SHORTEST_GUESSED = 4
const SHORTEST_ABBREVIATION = 3

/** Returns the known name that a typo most likely means. */
export function likelyName(name: string, known: readonly string[]): string | undefined {
  const best = nearestName(name, known) ?? known.find((one) => abbreviates(name, one))
  if (best === undefined || Math.min(name.length, best.length) >= SHORTEST_GUESSED) return best
  const [one, other] = [name.toLowerCase(), best.toLowerCase()]
  return one.startsWith(other) || other.startsWith(one) || abbreviates(one, other) ? best : undefined
}

/** Returns whether a text is a name with letters left out after the first, as `qty` is of `quantity`. */
function abbreviates(text: string, name: string): boolean {
  const [short, long] = [text.toLowerCase(), name.toLowerCase()]
  if (short.length < SHORTEST_ABBREVIATION || short[0] !== long[0]) return false
  let at = 0
  for (const letter of long) if (letter === short[at]) at += 1
  return at === short.length
}

/** Returns ` Did you mean "symbol"?`, or an empty text if no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const best = likelyName(name, known)
  return best === undefined ? '' : ` Did you mean "${best}"?`
}
