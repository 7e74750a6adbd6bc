import type { ProblemCode } from '../../graph/graph.js'

/** Where something stands in a file; both count from 1. */
export interface Place {
  line: number
  column: number
}

export const SEVERITIES = ['error', 'warning'] as const
export type Severity = (typeof SEVERITIES)[number]

/** What is found in files beyond the problems of graphs. */
export type FileCode =
  | ProblemCode
  | 'syntax'
  | 'file_too_large'
  | 'duplicate_key'
  | 'too_many_aliases'
  | 'ambiguous_number'
  | 'unknown_key'
  | 'unknown_field'
  | 'invalid_value'
  | 'invalid_id'
  | 'duplicate_id'
  | 'unresolved_variable'
  | 'unknown_output'
  | 'never_filled_in'
  | 'shadowed_variable'
  | 'unwired_condition'
  | 'invalid_secret'
  | 'literal_secret'
  | 'unknown_symbol'

/** Something wrong with a file, where it stands. `path` is a JSON pointer into what the file says. */
export interface Finding extends Place {
  file: string
  severity: Severity
  code: FileCode
  path: string
  message: string
}

/** What reading a file gives: its content, or why there is none. */
export type ReadResult<T> = { ok: true; value: T } | { ok: false; findings: Finding[] }

/** `flows/a.yaml:3:5: error[cycle]: …`, the form editors and CI jump to. */
export function findingText(finding: Finding): string {
  const { file, line, column, severity, code, message } = finding
  return `${file}:${line}:${column}: ${severity}[${code}]: ${message}`
}

/** By place in the file, errors before warnings. */
export function inOrder(findings: readonly Finding[]): Finding[] {
  const rank = (finding: Finding) => SEVERITIES.indexOf(finding.severity)
  return [...findings].sort((a, b) => a.line - b.line || a.column - b.column || rank(a) - rank(b))
}
