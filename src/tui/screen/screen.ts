import { createContext, type FC, useContext } from 'react'
import type { ScreenId } from '../../views/screens.js'
import type { AnyBinding } from '../keys/bindings.js'
import type { Status } from '../live/status.js'
import type { Area } from '../terminal/size.js'

/** An object that a screen is asked to show. */
export interface Target {
  kind: 'approval' | 'order' | 'position' | 'symbol' | 'workflow' | 'strategy'
  /** The id as the command line takes it; for a symbol `NSE:SBIN`, for a position `NSE:SBIN MIS`. */
  id: string
}

export interface ScreenProps extends Area {
  /** The object to show, and a number that changes with each request. */
  asked?: { target: Target; count: number } | undefined
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

/** The part of the screen that has the keys now. */
export interface Focus {
  bindings: readonly AnyBinding[]
  pane: string
}

/** The way of a screen to the rest of the program. */
export interface Shell {
  /** Shows a screen, and an object on it. */
  show(screen: ScreenId, target?: Target): void
  /** Shows an object on the screen for objects of its kind. */
  open(target: Target): void
  /** Says which keys work now, for the list of keys. */
  focus(focus: Focus): void
}

export const ShellContext = createContext<Shell>({
  show: () => undefined,
  open: () => undefined,
  focus: () => undefined,
})

export const useShell = (): Shell => useContext(ShellContext)
