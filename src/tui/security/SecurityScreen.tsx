import { Kept } from '../live/kept.js'
import type { Area } from '../screen/size.js'
import { useTabs } from '../tabs/use-tabs.js'
import { SECURITY_TABS, type SecurityTab } from './keys.js'
import { AttemptsTab } from './tabs/AttemptsTab.js'
import { BansTab } from './tabs/BansTab.js'
import { SessionsTab } from './tabs/SessionsTab.js'
import { SettingsTab } from './tabs/SettingsTab.js'
import { SuspectsTab } from './tabs/SuspectsTab.js'

const TAB = new Kept<SecurityTab>('bans')

const TABS = {
  bans: BansTab,
  suspects: SuspectsTab,
  sessions: SessionsTab,
  'sign-ins': AttemptsTab,
  settings: SettingsTab,
} as const satisfies Record<SecurityTab, unknown>

/** Who may call the service: bans, addresses under suspicion, sessions, sign-ins and the rules of bans. */
export function SecurityScreen({ width, height }: Area) {
  const tabs = useTabs(TAB, SECURITY_TABS)
  const Tab = TABS[tabs.current]
  return <Tab {...{ width, height, tabs }} />
}
