import type { RouteAnswer } from '../../client/endpoints.js'
import type { Column } from '../table/column.js'

export type MarketDay = RouteAnswer<'GET /market/hours'>['data'][number]

export const HOURS_COLUMNS = [
  { key: 'exchange' },
  { key: 'date' },
  { key: 'is_open', title: 'OPEN' },
  { key: 'opens_at', title: 'OPENS', kind: 'time' },
  { key: 'closes_at', title: 'CLOSES', kind: 'time' },
  { key: 'day', leaves: 2 },
  { key: 'reason', leaves: 3 },
  { key: 'next_open', title: 'NEXT OPEN', kind: 'time', leaves: 1 },
] as const satisfies readonly Column[]
