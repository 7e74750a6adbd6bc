import type { Column } from '../table/column.js'

export const PROBE_COLUMNS = [
  { key: 'name', title: 'PROBE' },
  { key: 'ok' },
  { key: 'ms', kind: 'decimals' },
  { key: 'detail' },
  { key: 'id', wide: true },
] as const satisfies readonly Column[]
