import type { ProblemCode } from '../../graph/graph.js'

/** A position in a file; line and column count from 1. */
export interface FilePosition {
  line: number
  column: number
}

const SEVERITIES = ['error', 'warning'] as const
export type Severity = (typeof SEVERITIES)[number]

/** The codes of findings in files: the codes of graph problems, and those of files. */
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
  | 'invalid_condition'
  | 'invalid_id'
  | 'duplicate_id'
  | 'unresolved_variable'
  | 'never_filled_in'
  | 'shadowed_variable'
  | 'unwired_condition'
  | 'invalid_secret'
  | 'literal_secret'
  | 'unknown_symbol'

/** A fault in a file with its position. `path` is a JSON pointer into the document. */
export interface Finding extends FilePosition {
  file: string
  severity: Severity
  code: FileCode
  path: string
  message: string
}

/** The result of reading a file: its content, or the findings that prevent it. */
export type ReadResult<T> = { ok: true; value: T } | { ok: false; findings: Finding[] }

/** Returns `flows/a.yaml:3:5: error[cycle]: …`, a form that editors and CI understand. */
export function findingText(finding: Finding): string {
  const { file, line, column, severity, code, message } = finding
  return `${file}:${line}:${column}: ${severity}[${code}]: ${message}`
}

/** Sorts findings by position, errors before warnings. */
export function inOrder(findings: readonly Finding[]): Finding[] {
  const rank = (finding: Finding) => SEVERITIES.indexOf(finding.severity)
  return [...findings].sort((a, b) => a.line - b.line || a.column - b.column || rank(a) - rank(b))
}
