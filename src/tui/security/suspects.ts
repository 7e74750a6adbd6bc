import { SUSPECT_COLUMNS } from '../../views/security/bans.js'
import type { Change } from '../live/changes/changes.js'
import { listTab } from '../screen/list-tab.js'
import { BanFeed, type SuspectRow } from './ban-feed.js'
import { banKey, HOST_KEY } from './ban-forms.js'

const REASONS = { '404': 'scans paths', 'invalid key': 'tries API keys' } as const

/** The addresses that are on their way to a ban: by 404s, and by invalid API keys. */
export const suspects = listTab({
  name: 'suspects',
  feed: BanFeed,
  rows: ({ suspects: rows }) => rows,
  columns: SUSPECT_COLUMNS,
  fields: [...SUSPECT_COLUMNS, { key: 'tried' }],
  empty: 'No address with 404s or invalid API keys in the last 24 hours.',
  keys: [
    banKey(({ ip_address, offence }: SuspectRow) => ({ address: ip_address, reason: REASONS[offence] })),
    {
      id: 'security.forget',
      keys: ['x'],
      does: 'clear 404s',
      explained: 'forget the 404s of the address',
      command: 'svc ban clear-404 <address>',
      act({ row, daemon, refresh }) {
        if (row?.offence === '404') daemon.changes.start(clearChange(row, refresh))
        else if (row !== undefined)
          daemon.changes.say('Only 404s can be cleared. Invalid API keys count for 24 hours.')
      },
    },
    HOST_KEY,
  ],
})

/** Forgets the 404s of an address. */
function clearChange({ ip_address }: SuspectRow, onAnswer: () => void): Change {
  return {
    name: `404s of ${ip_address}`,
    check: 'svc ban list --suspicious',
    onAnswer,
    async send(client) {
      await client.request('POST /security/clear-404', { body: { ip_address } })
      return 'forgotten.'
    },
  }
}
