import { SETTING_COLUMNS } from '../../../views/security/settings.js'
import { keptList } from '../../components/list/use-list.js'
import { ListTab } from '../../tabs/ListTab.js'
import { SECURITY_KEYS } from '../keys.js'
import { settingsForm } from '../settings.js'
import { useSecurity } from '../use-security.js'
import type { SecurityTabProps } from './props.js'

const KEPT = keptList()

/** The settings of automatic bans. */
export function SettingsTab(props: SecurityTabProps) {
  const { live, summary, refresh, actsFor } = useSecurity()
  const { settings, values } = live.content
  return (
    <ListTab
      {...props}
      {...{ live, summary, kept: KEPT, rows: settings, columns: SETTING_COLUMNS }}
      empty="No settings."
      noteOf={({ name, summary: meaning }) => `${name}: ${meaning}`}
      bindings={SECURITY_KEYS}
      acts={(_, dialogs) => ({
        ...actsFor('', '', dialogs),
        edit: () => values && dialogs.open(settingsForm(values, refresh)),
      })}
    />
  )
}
