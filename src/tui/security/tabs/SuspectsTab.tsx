import { SUSPECT_COLUMNS } from '../../../views/security/bans.js'
import { keptList } from '../../components/list/use-list.js'
import { useDesk } from '../../live/use-desk.js'
import { ListTab } from '../../tabs/ListTab.js'
import { clearChange } from '../bans.js'
import type { SuspectRow } from '../feeds.js'
import { SECURITY_KEYS } from '../keys.js'
import { useSecurity } from '../use-security.js'
import type { SecurityTabProps } from './props.js'

const KEPT = keptList()
const FIELDS = [...SUSPECT_COLUMNS, { key: 'tried' }]

/** The addresses that are on their way to a ban: by 404s, and by invalid API keys. */
export function SuspectsTab(props: SecurityTabProps) {
  const { changes } = useDesk()
  const { live, summary, refresh, actsFor } = useSecurity()
  const forget = (row: SuspectRow | undefined) => {
    if (row?.offence === '404') changes.start(clearChange(row, refresh))
    else if (row !== undefined) changes.say('Only 404s can be cleared. Invalid API keys count for 24 hours.')
  }
  return (
    <ListTab
      {...props}
      {...{ live, summary, kept: KEPT, rows: live.content.suspects, columns: SUSPECT_COLUMNS }}
      fields={FIELDS}
      empty="No address with 404s or invalid API keys in the last 24 hours."
      bindings={SECURITY_KEYS}
      acts={(selected, dialogs) => ({
        ...actsFor(selected?.ip_address, selected ? REASONS[selected.offence] : '', dialogs),
        forget: () => forget(selected),
      })}
    />
  )
}

const REASONS = { '404': 'scans paths', 'invalid key': 'tries API keys' } as const
