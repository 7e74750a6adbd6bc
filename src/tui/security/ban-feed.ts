import type { RouteAnswer, SvcClient } from '../../client/index.js'
import { banRows, suspectRows } from '../../views/security/bans.js'
import { type BanSettings, settingRows } from '../../views/security/settings.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed } from '../live/feed.js'

/** Bans have no event. The daemon answers a minute's sixty reads of them. */
const BAN_PAUSE_MS = 10_000
const GATHER_MS = 250

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
  constructor(daemon: LiveDaemon) {
    const source = { read: readBans, isChangedBy: () => false, pauseMs: BAN_PAUSE_MS, gatherMs: GATHER_MS }
    super(daemon, source, NO_BANS)
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

/** The pace of content that changes with each sign-in. */
export const READ_ON_SIGN_IN = {
  isChangedBy: ({ event }: { event: string }) => event === 'active_sessions_update',
  pauseMs: 15_000,
  gatherMs: GATHER_MS,
}

/** Returns the statistics of the bans, in a few words. */
export function banFigures({ stats }: BanContent): string {
  if (stats === undefined) return ''
  const { total_bans, permanent_bans, temporary_bans, suspicious_ips, near_threshold } = stats
  return `${total_bans} banned (${permanent_bans} permanent, ${temporary_bans} temporary)  ${suspicious_ips} suspicious, ${near_threshold} near the limit`
}
