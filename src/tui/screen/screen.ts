import type { FC } from 'react'
import type { ScreenId } from '../../views/screens.js'
import type { AnyBinding } from '../keys/bindings.js'
import type { Status } from '../live/status.js'
import type { Area } from '../terminal/size.js'

/** An object that a screen is asked to show. */
export interface Target {
  kind: 'approval' | 'order' | 'symbol' | 'workflow' | 'strategy'
  /** The id as the command line takes it; for a symbol `NSE:SBIN`. */
  id: string
}

export interface ScreenProps extends Area {
  /** The object to show, and a number that changes with each request. */
  asked?: { target: Target; count: number }
}

/** A screen of the program. The header, the jumps, the help and the user's own keys know it by this record alone. */
export interface Screen {
  id: ScreenId
  title: string
  /** The title where there is little room. */
  short?: string
  /** Every key of the screen, with its act and its words. */
  keys: readonly AnyBinding[]
  /** The kinds of objects that the screen shows. */
  opens?: readonly Target['kind'][]
  /** Returns the number beside the title: what waits for the user. */
  badge?(status: Status): number
  View: FC<ScreenProps>
}
