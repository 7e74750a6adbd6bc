import type { RouteAnswer } from '../../client/endpoints.js'
import type { Column } from '../table/column.js'

export type WhyRecord = RouteAnswer<'POST /api/v1/why'>['data']

export const WHY_FIELDS = [
  { key: 'id' },
  { key: 'kind' },
  { key: 'state', kind: 'status' },
] as const satisfies readonly Column[]

export const WHY_COLUMNS = [
  { key: 'at', title: 'TIME', kind: 'time' },
  { key: 'what' },
  { key: 'state', kind: 'status' },
  { key: 'rule' },
  { key: 'words', below: true },
  { key: 'by', leaves: 3 },
  { key: 'mode', kind: 'status', leaves: 4 },
  { key: 'audit', leaves: 2 },
  { key: 'kind', wide: true },
  { key: 'id', wide: true },
] as const satisfies readonly Column[]
