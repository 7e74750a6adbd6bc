import type { DocumentCode, Finding as FindingOf, ReadResult as ResultOf } from '../../../documents/index.js'
import type { ProblemCode } from '../../graph/graph.js'

/** The codes of findings in workflow files: those of graph problems, of any file, and their own. */
export type FileCode =
  | ProblemCode
  | DocumentCode
  | 'unknown_field'
  | 'invalid_condition'
  | 'unresolved_variable'
  | 'never_filled_in'
  | 'shadowed_variable'
  | 'unwired_condition'
  | 'repeated_exit'
  | 'invalid_secret'
  | 'literal_secret'
  | 'unknown_symbol'

export type Finding = FindingOf<FileCode>
export type ReadResult<T> = ResultOf<T, FileCode>
