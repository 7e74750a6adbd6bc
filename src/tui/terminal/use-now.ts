import { useEffect, useState } from 'react'

/** Ticks for as long as somebody listens. All listeners hear the same time at the same moment. */
class Ticks {
  readonly #intervalMs: number
  readonly #listeners = new Set<(now: number) => void>()
  #timer: NodeJS.Timeout | undefined
  #now = 0

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
  }

  /** The time of the last tick; the time itself while nobody listens. */
  get now(): number {
    return this.#timer === undefined ? Date.now() : this.#now
  }

  /** Adds a listener. @returns the way to remove it */
  listen(listener: (now: number) => void): () => void {
    this.#listeners.add(listener)
    if (this.#timer === undefined) {
      this.#now = Date.now()
      this.#timer = setInterval(() => this.#tick(), this.#intervalMs)
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  #tick(): void {
    this.#now = Date.now()
    for (const listener of [...this.#listeners]) listener(this.#now)
  }
}

/** By their interval: parts of the screen with the same one name the same age, and are drawn together. */
const TICKS = new Map<number, Ticks>()

function ticksOf(intervalMs: number): Ticks {
  const ticks = TICKS.get(intervalMs) ?? new Ticks(intervalMs)
  TICKS.set(intervalMs, ticks)
  return ticks
}

/** Returns the time in milliseconds, and draws again at each interval: for ages. */
export function useNow(intervalMs: number): number {
  const ticks = ticksOf(intervalMs)
  const [now, setNow] = useState(() => ticks.now)
  useEffect(() => ticks.listen(setNow), [ticks])
  return now
}

/** Returns a value once it has rested for a while, and the one before until then: for what a held key changes all the time. */
export function useRested<T>(value: T, forMs: number): T {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), forMs)
    return () => clearTimeout(timer)
  }, [value, forMs])
  return rested
}
