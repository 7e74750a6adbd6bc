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
