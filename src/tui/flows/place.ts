import { Kept } from '../live/kept.js'

export const TABS = ['graph', 'executions', 'log', 'details'] as const
export type Tab = (typeof TABS)[number]

/** The part of the screen that has the keys. */
export type Pane = 'list' | Tab

/** The place on the screen. */
export interface Place {
  /** The open workflow as the command line names it; undefined for the list. */
  opened: string | undefined
  tab: Tab
  /** The chosen run; undefined for the newest one. */
  run: number | undefined
}

export const PLACE = new Kept<Place>({ opened: undefined, tab: 'graph', run: undefined })
