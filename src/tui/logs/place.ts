import { Kept } from '../live/kept.js'
import type { Tab } from './tabs/index.js'

/** The part of the screen that outlives it. */
export interface Place {
  tab: Tab
  /** True while new rows come; the newest one is selected then. */
  isFollowing: boolean
  /** The text that the daemon looks for, by tab. */
  searches: Readonly<Partial<Record<Tab, string>>>
}

export const PLACE = new Kept<Place>({ tab: 'orders', isFollowing: true, searches: {} })
