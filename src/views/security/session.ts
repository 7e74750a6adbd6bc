import type { RouteAnswer } from '../../client/endpoints.js'
import { visible } from '../table/cells.js'
import type { Column } from '../table/column.js'

type Sessions = RouteAnswer<'GET /auth/active-sessions'>

type Session = Sessions['sessions'][number]

/** A session, the shortest beginning of its id that names it, and whether it is the caller's own. */
export interface ListedSession extends Session {
  short: string
  current: boolean
}

/** The fewest characters of a short id. */
const SHORTEST_ID = 8

/** Returns the sessions of an answer, each with its short id. */
export function listedSessions({
  sessions,
  current_session_id: own,
}: Pick<Sessions, 'sessions' | 'current_session_id'>): ListedSession[] {
  const ids = sessions.map(({ session_id: id }) => id)
  let length = SHORTEST_ID
  while (new Set(ids.map((id) => id.slice(0, length))).size < ids.length) length += 1
  return sessions.map((row) => ({
    ...row,
    short: row.session_id.slice(0, length),
    current: row.session_id === own,
  }))
}

export const SESSION_COLUMNS = [
  { key: 'ip_address', title: 'ADDRESS', leaves: 1 },
  { key: 'device_info', title: 'DEVICE', leaves: 3 },
  { key: 'login_time', title: 'SINCE', kind: 'time', leaves: 4 },
  { key: 'last_seen', title: 'LAST SEEN', kind: 'time', leaves: 2 },
] as const satisfies readonly Column[]

/** Returns a session in words, for questions. */
export function described({
  short,
  ip_address: address,
  device_info: device,
  current,
}: ListedSession): string {
  const about = [address, device, current && 'this one'].filter(Boolean).join(', ')
  return `session ${short}${about && ` (${visible(about)})`}`
}
