import type { Area } from '../../screen/size.js'
import type { Tabs } from '../../tabs/use-tabs.js'
import type { SecurityTab } from '../keys.js'

export interface SecurityTabProps extends Area {
  tabs: Tabs<SecurityTab>
}
