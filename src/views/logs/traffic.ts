import type { RouteAnswer } from '../../client/endpoints.js'
import type { Column } from '../table/column.js'

type Entry = RouteAnswer<'GET /traffic/api/logs'>[number]

/** A request as commands show it. */
export type TrafficRow = Omit<Entry, 'timestamp'>

/** Returns a request with its time once: `timestamp` has the same instant as `at`, in words of the contract. */
export function trafficRow({ timestamp: _, ...row }: Entry): TrafficRow {
  return row
}

export const TRAFFIC_COLUMNS = [
  { key: 'at', title: 'TIME', kind: 'time' },
  { key: 'client_ip', title: 'CLIENT' },
  { key: 'method' },
  { key: 'path' },
  { key: 'status_code', title: 'STATUS', kind: 'quantity' },
  { key: 'duration_ms', title: 'MS', kind: 'decimals' },
  { key: 'user_id', title: 'USER', leaves: 1 },
  { key: 'error', leaves: 2 },
  { key: 'host', wide: true },
  { key: 'id', wide: true },
] as const satisfies readonly Column[]
