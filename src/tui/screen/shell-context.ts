import { createContext, useContext, useEffect, useRef } from 'react'
import type { ScreenId } from '../../views/screens.js'
import type { AnyBinding } from '../keys/bindings.js'
import type { ScreenProps, Target } from './screen.js'

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

/** Calls a function once for each request to show an object. */
export function useAsked(asked: ScreenProps['asked'], show: (target: Target) => void): void {
  const latest = useRef(show)
  latest.current = show
  const count = asked?.count
  // biome-ignore lint/correctness/useExhaustiveDependencies: the number stands for the request
  useEffect(() => {
    if (asked !== undefined) latest.current(asked.target)
  }, [count])
}
