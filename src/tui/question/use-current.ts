import { useRef, useState } from 'react'

/** A state that is drawn, and known at once. */
export interface Current<State> {
  /** The state of this drawing. */
  shown: State
  /** Returns the state as it is now: two presses may arrive before the next drawing, and answers come at any time. */
  now(): State
  show(next: State): void
}

export function useCurrent<State>(first: State): Current<State> {
  const [shown, draw] = useState<State>(first)
  const current = useRef<State>(shown)
  return {
    shown,
    now: () => current.current,
    show(next) {
      current.current = next
      draw(next)
    },
  }
}
