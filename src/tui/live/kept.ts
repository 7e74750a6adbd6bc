import { useState } from 'react'
import type { Desk } from './desk.js'
import { useDesk } from './use-desk.js'

/** A state of a screen that outlives it: a cursor, a filter, a tab. It is there again when the user comes back. */
export class Kept<Value> {
  readonly #first: Value
  readonly #values = new WeakMap<Desk, { value: Value }>()

  constructor(first: Value) {
    this.#first = first
  }

  of(desk: Desk): Value {
    const kept = this.#values.get(desk)
    return kept === undefined ? this.#first : kept.value
  }

  keep(desk: Desk, value: Value): void {
    this.#values.set(desk, { value })
  }
}

/** Returns a state like React's own, which outlives the screen. */
export function useKept<Value>(kept: Kept<Value>): [Value, (next: Value) => void] {
  const desk = useDesk()
  const [value, setValue] = useState(() => kept.of(desk))
  const set = (next: Value) => {
    kept.keep(desk, next)
    setValue(next)
  }
  return [value, set]
}
