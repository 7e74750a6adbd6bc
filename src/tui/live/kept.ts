import { useState } from 'react'
import type { LiveDaemon } from './daemon.js'
import { useDaemon } from './use-daemon.js'

/** A state of a screen that outlives it: a cursor, a filter, a tab. It is there again when the user comes back. */
export class Kept<Value> {
  readonly #first: Value
  readonly #values = new WeakMap<LiveDaemon, { value: Value }>()

  constructor(first: Value) {
    this.#first = first
  }

  of(daemon: LiveDaemon): Value {
    const kept = this.#values.get(daemon)
    return kept === undefined ? this.#first : kept.value
  }

  keep(daemon: LiveDaemon, value: Value): void {
    this.#values.set(daemon, { value })
  }
}

/** Returns a state like React's own, which outlives the screen. */
export function useKept<Value>(kept: Kept<Value>): [Value, (next: Value) => void] {
  const daemon = useDaemon()
  const [value, setValue] = useState(() => kept.of(daemon))
  const set = (next: Value) => {
    kept.keep(daemon, next)
    setValue(next)
  }
  return [value, set]
}
