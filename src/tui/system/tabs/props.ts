import type { Area } from '../../screen/size.js'
import type { Tabs } from '../../tabs/use-tabs.js'
import type { SystemTab } from '../keys.js'

export interface SystemTabProps extends Area {
  tabs: Tabs<SystemTab>
}
