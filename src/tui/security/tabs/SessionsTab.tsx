import { SESSION_COLUMNS } from '../../../views/security/session.js'
import { keptList } from '../../components/list/use-list.js'
import { useDesk, useFeed } from '../../live/use-desk.js'
import { ListTab } from '../../tabs/ListTab.js'
import { SessionFeed } from '../feeds.js'
import { SECURITY_KEYS } from '../keys.js'
import { endQuestion } from '../sessions.js'
import { useSecurity } from '../use-security.js'
import type { SecurityTabProps } from './props.js'

const KEPT = keptList()
const COLUMNS = [{ key: 'short', title: 'SESSION' }, { key: 'own' }, ...SESSION_COLUMNS]

/** The devices that are signed in, newest first. */
export function SessionsTab(props: SecurityTabProps) {
  const { summary, actsFor } = useSecurity()
  const feed = useDesk().part(SessionFeed)
  const live = useFeed(feed)
  return (
    <ListTab
      {...props}
      {...{ live, summary, kept: KEPT, rows: live.content, columns: COLUMNS }}
      empty="No sessions."
      bindings={SECURITY_KEYS}
      acts={(selected, dialogs) => ({
        ...actsFor('', '', dialogs),
        end: () => selected && dialogs.ask(endQuestion(selected, () => void feed.refresh())),
      })}
    />
  )
}
