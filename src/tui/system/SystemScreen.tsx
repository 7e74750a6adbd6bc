import { Kept } from '../live/kept.js'
import type { Area } from '../screen/size.js'
import { useTabs } from '../tabs/use-tabs.js'
import { SYSTEM_TABS, type SystemTab } from './keys.js'
import { DiagnosticsTab } from './tabs/DiagnosticsTab.js'
import { FreezeTab } from './tabs/FreezeTab.js'
import { HealthTab } from './tabs/HealthTab.js'
import { HolidaysTab } from './tabs/HolidaysTab.js'
import { HoursTab } from './tabs/HoursTab.js'
import { OverviewTab } from './tabs/OverviewTab.js'
import { RiskTab } from './tabs/RiskTab.js'

const TAB = new Kept<SystemTab>('overview')

const TABS = {
  overview: OverviewTab,
  diagnostics: DiagnosticsTab,
  health: HealthTab,
  freeze: FreezeTab,
  holidays: HolidaysTab,
  hours: HoursTab,
  risk: RiskTab,
} as const satisfies Record<SystemTab, unknown>

/** The service itself: its state and modes, probes, health, freeze quantities, calendar and risk rules. */
export function SystemScreen({ width, height }: Area) {
  const tabs = useTabs(TAB, SYSTEM_TABS)
  const Tab = TABS[tabs.current]
  return <Tab {...{ width, height, tabs }} />
}
