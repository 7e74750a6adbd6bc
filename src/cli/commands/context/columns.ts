import type { Column } from '../../../views/table/column.js'

/** The fields of one context. */
export const CONTEXT_FIELDS = [
  { key: 'name' },
  { key: 'url' },
  { key: 'id' },
  { key: 'color' },
] as const satisfies readonly Column[]
