import type { Dialogs } from '../dialog/use-dialogs.js'
import type { Live } from '../live/feed.js'
import { useDesk, useFeed } from '../live/use-desk.js'
import { banForm, hostForm } from './bans.js'
import { type BanContent, BanFeed } from './feeds.js'
import type { SecurityActs } from './keys.js'

export interface Security {
  live: Live<BanContent>
  /** The statistics of the bans, in a few words. */
  summary: string
  /** Reads the bans again. */
  refresh(): void
  /** Returns the acts that work in every tab. */
  actsFor(address: string | null | undefined, reason: string, dialogs: Dialogs): SecurityActs
}

/** The bans as every tab of the screen needs them. */
export function useSecurity(): Security {
  const feed = useDesk().part(BanFeed)
  const live = useFeed(feed)
  const refresh = () => void feed.refresh()
  return {
    live,
    refresh,
    summary: summaryOf(live.content),
    actsFor: (address, reason, dialogs) => ({
      ban: () => dialogs.open(banForm(address ?? '', reason, refresh)),
      banHost: () => dialogs.open(hostForm(refresh)),
    }),
  }
}

function summaryOf({ stats }: BanContent): string {
  if (stats === undefined) return ''
  const { total_bans, permanent_bans, temporary_bans, suspicious_ips, near_threshold } = stats
  return `${total_bans} banned (${permanent_bans} permanent, ${temporary_bans} temporary)  ${suspicious_ips} suspicious, ${near_threshold} near the limit`
}
