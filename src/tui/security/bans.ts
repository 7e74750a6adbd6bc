import { BAN_COLUMNS } from '../../views/security/bans.js'
import type { ChangeQuestion } from '../question/use-question.js'
import { listTab } from '../screen/list-tab.js'
import { BanFeed, type BanRow } from './ban-feed.js'
import { BAN_KEY, CHECK, HOST_KEY } from './ban-forms.js'

/** The banned addresses, newest first. */
export const bans = listTab({
  name: 'bans',
  feed: BanFeed,
  rows: ({ bans: rows }) => rows,
  columns: BAN_COLUMNS,
  empty: 'No bans.',
  keys: [
    BAN_KEY,
    {
      id: 'security.lift',
      keys: ['u'],
      does: 'lift ban',
      explained: 'lift the ban: asks',
      command: 'svc ban remove <address>',
      act: ({ row, dialogs, refresh }) => row && dialogs.ask(liftQuestion(row, refresh)),
    },
    HOST_KEY,
  ],
})

function liftQuestion({ ip_address, ban_reason }: BanRow, onAnswer: () => void): ChangeQuestion {
  return {
    title: `Lift the ban of ${ip_address}?`,
    lines: [`It was banned for: ${ban_reason}`],
    change: {
      name: `End of the ban of ${ip_address}`,
      check: CHECK,
      onAnswer,
      async send(client) {
        await client.request('POST /security/unban', { body: { ip_address } })
        return `${ip_address} is no longer banned.`
      },
    },
  }
}
