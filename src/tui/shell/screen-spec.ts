import type { FC } from 'react'
import type { ScreenId } from '../../views/screens.js'
import type { AnyBinding } from '../keys/bindings.js'
import type { Status } from '../live/status.js'
import type { Area } from '../screen/size.js'

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

export interface ScreenSpec {
  id: ScreenId
  title: string
  /** The title where there is little room. */
  short: string
  /** All keys of the screen, for the list of keys and the user's own file. */
  bindings: readonly AnyBinding[]
  /** The kinds of objects that the screen shows. */
  opens: readonly Target['kind'][]
  Screen: FC<ScreenProps>
  /** Returns the number beside the title: what waits for the user. */
  badge?(status: Status): number
}
