import { BAN_COLUMNS } from '../../../views/security/bans.js'
import { keptList } from '../../components/list/use-list.js'
import { ListTab } from '../../tabs/ListTab.js'
import { liftQuestion } from '../bans.js'
import { SECURITY_KEYS } from '../keys.js'
import { useSecurity } from '../use-security.js'
import type { SecurityTabProps } from './props.js'

const KEPT = keptList()

/** The banned addresses, newest first. */
export function BansTab(props: SecurityTabProps) {
  const { live, summary, refresh, actsFor } = useSecurity()
  return (
    <ListTab
      {...props}
      {...{ live, summary, kept: KEPT, rows: live.content.bans, columns: BAN_COLUMNS }}
      empty="No bans."
      bindings={SECURITY_KEYS}
      acts={(selected, dialogs) => ({
        ...actsFor('', '', dialogs),
        lift: () => selected && dialogs.ask(liftQuestion(selected, refresh)),
      })}
    />
  )
}
