import { Kept } from '../live/kept.js'
import type { Area } from '../terminal/size.js'
import type { Side } from './chain/chain.js'

/** A part of the screen that lies over the watch list. */
export type Pane = { kind: 'search' } | { kind: 'symbol'; symbol: string } | ChainPlace

export interface ChainPlace {
  kind: 'chain'
  /** The symbol whose underlying has the options. */
  symbol: string
  /** The chosen expiry, by default the nearest. */
  expiry?: string
  /** The side under the cursor. */
  side: Side
}

/** The panes over the watch list, the last on top. */
export const PANES = new Kept<readonly Pane[]>([])

/** The way from a pane to others. */
export interface Ways {
  open(pane: Pane): void
  /** Puts a pane in the place of this one. */
  replace(pane: Pane): void
  back(): void
}

export interface PaneProps extends Area {
  ways: Ways
}
