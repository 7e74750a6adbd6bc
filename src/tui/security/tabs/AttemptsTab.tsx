import { ATTEMPT_COLUMNS } from '../../../views/security/login-attempt.js'
import { keptList } from '../../components/list/use-list.js'
import { useDesk, useFeed } from '../../live/use-desk.js'
import { ListTab } from '../../tabs/ListTab.js'
import { AttemptFeed } from '../feeds.js'
import { SECURITY_KEYS } from '../keys.js'
import { useSecurity } from '../use-security.js'
import type { SecurityTabProps } from './props.js'

const KEPT = keptList()

/** The attempts to sign in, newest first. */
export function AttemptsTab(props: SecurityTabProps) {
  const { summary, actsFor } = useSecurity()
  const live = useFeed(useDesk().part(AttemptFeed))
  return (
    <ListTab
      {...props}
      {...{ live, summary, kept: KEPT, rows: live.content, columns: ATTEMPT_COLUMNS }}
      empty="No sign-in attempts."
      bindings={SECURITY_KEYS}
      acts={(selected, dialogs) => actsFor(selected?.ip_address, '', dialogs)}
    />
  )
}
