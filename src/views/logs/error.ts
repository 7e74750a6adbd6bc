import type { Column } from '../table/column.js'

export const ERROR_COLUMNS = [
  { key: 'at', title: 'TIME', kind: 'time' },
  { key: 'level', leaves: 2 },
  { key: 'logger', title: 'EVENT' },
  { key: 'message' },
  { key: 'file', leaves: 1 },
  { key: 'request', wide: true },
  { key: 'details', wide: true },
  { key: 'exception', wide: true },
] as const satisfies readonly Column[]
