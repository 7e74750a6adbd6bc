import type { RouteAnswer, SvcClient } from '../../client/index.js'
import { banRows, suspectRows } from '../../views/security/bans.js'
import { type ListedSession, listedSessions } from '../../views/security/session.js'
import { type BanSettings, settingRows } from '../../views/security/settings.js'
import type { Desk } from '../live/desk.js'
import { Feed } from '../live/feed.js'

/** Bans have no event. The daemon answers a minute's sixty reads of them. */
const BAN_PAUSE_MS = 10_000
const SIGN_IN_PAUSE_MS = 15_000
const GATHER_MS = 250
const MOST_ATTEMPTS = 200

export type BanRow = ReturnType<typeof banRows>[number] & { id: string }
export type SuspectRow = ReturnType<typeof suspectRows>[number] & {
  id: string
  /** The paths, or the beginnings of the keys' hashes, that the address tried. */
  tried: readonly unknown[]
}
export type SettingRow = ReturnType<typeof settingRows>[number] & { id: string }

export interface BanContent {
  bans: readonly BanRow[]
  suspects: readonly SuspectRow[]
  settings: readonly SettingRow[]
  values: BanSettings | undefined
  stats: RouteAnswer<'GET /security/stats'> | undefined
}

const NO_BANS: BanContent = { bans: [], suspects: [], settings: [], values: undefined, stats: undefined }

/** The bans, the addresses under suspicion, and the settings of automatic bans. */
export class BanFeed extends Feed<BanContent> {
  constructor(desk: Desk) {
    const source = { read: readBans, isChangedBy: () => false, pauseMs: BAN_PAUSE_MS, gatherMs: GATHER_MS }
    super(desk, source, NO_BANS)
  }
}

async function readBans(client: SvcClient): Promise<BanContent> {
  const [data, stats] = await Promise.all([
    client.request('GET /security/api/data', {}),
    client.request('GET /security/stats', {}),
  ])
  const tried = [
    ...data.suspicious_ips.map((row) => row.paths_attempted),
    ...data.api_abuse_ips.map((row) => row.api_keys_tried),
  ]
  return {
    bans: banRows(data, true).map((row) => ({ ...row, id: row.ip_address })),
    suspects: suspectRows(data).map((row, index) => ({
      ...row,
      id: `${row.offence} ${row.ip_address}`,
      tried: listIn(tried[index]),
    })),
    settings: settingRows(data.security_settings).map((row) => ({ ...row, id: row.name })),
    values: data.security_settings,
    stats,
  }
}

/** Parses the JSON arrays of the trackers. */
function listIn(text: string | undefined): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(list) ? list : [text]
  } catch {
    return [text]
  }
}

export type SessionRow = ListedSession & { id: string; own: string }

/** The sessions of the user, newest first. */
export class SessionFeed extends Feed<readonly SessionRow[]> {
  constructor(desk: Desk) {
    super(desk, { read: readSessions, ...ON_SIGN_IN }, [])
  }
}

async function readSessions(client: SvcClient): Promise<readonly SessionRow[]> {
  return listedSessions(await client.request('GET /auth/active-sessions', {})).map((row) => ({
    ...row,
    id: row.session_id,
    own: row.current ? 'this one' : '',
  }))
}

type Attempt = RouteAnswer<'GET /security/api/login-activity'>['attempts'][number]
export type AttemptRow = Attempt & { id: string }

/** The attempts to sign in, newest first. */
export class AttemptFeed extends Feed<readonly AttemptRow[]> {
  constructor(desk: Desk) {
    super(desk, { read: readAttempts, ...ON_SIGN_IN }, [])
  }
}

/** An attempt has no id: its time and its place among those of the same time make one. */
async function readAttempts(client: SvcClient): Promise<readonly AttemptRow[]> {
  const query = { limit: MOST_ATTEMPTS }
  const { attempts } = await client.request('GET /security/api/login-activity', { query })
  const seen = new Map<string, number>()
  return attempts.map((row) => {
    const count = (seen.get(row.timestamp) ?? 0) + 1
    seen.set(row.timestamp, count)
    return { ...row, id: `${row.timestamp} ${count}` }
  })
}

const ON_SIGN_IN = {
  isChangedBy: ({ event }: { event: string }) => event === 'active_sessions_update',
  pauseMs: SIGN_IN_PAUSE_MS,
  gatherMs: GATHER_MS,
}
