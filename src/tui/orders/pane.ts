import type { Draft } from './form/draft.js'

export const TABS = ['orders', 'trades'] as const
export type Tab = (typeof TABS)[number]

/** The part of the screen that receives the keys: a list, the details of an order, or the form of one. */
export type Pane = { kind: Tab } | DetailsPane | { kind: 'form'; draft: Draft; from: HomePane }

export interface DetailsPane {
  kind: 'details'
  id: string
  from: Tab
}

/** The panes that a form comes back to. */
export type HomePane = { kind: Tab } | DetailsPane
