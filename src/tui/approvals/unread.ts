import { useLayoutEffect, useRef } from 'react'
import { useDaemon } from '../live/use-daemon.js'

/** Nobody reads an order faster. A key that is held down comes again within 500 or 660 ms, as terminals are set. */
const UNREAD_MS = 700
/** A key that is held down goes on at least this fast. */
const REPEAT_MS = 300

/**
 * The order that has come under the cursor by itself: after the one that the same key approved, or in the place of one that
 * has gone. A press meant for the order before must not approve it.
 */
export class Unread {
  /** Returns the time in milliseconds, which is never set back. */
  clock: () => number = () => performance.now()
  #id: number | undefined
  #until = 0

  /** Notes that an order has come under the cursor by itself. */
  came(id: number): void {
    this.#id = id
    this.#until = this.clock() + UNREAD_MS
  }

  /** Returns whether a press comes too early for an order. It stays too early for as long as the key is held down. */
  isTooEarly(id: number): boolean {
    const now = this.clock()
    if (id !== this.#id || now >= this.#until) return false
    this.#until = Math.max(this.#until, now + REPEAT_MS)
    return true
  }
}

/** A hook: notes each order that takes the place of a selected one which has left the list. */
export function useUnread(rows: readonly { id: number }[], selected: { id: number } | undefined): Unread {
  const unread = useDaemon().part(Unread)
  const before = useRef<number>(undefined)
  const id = selected?.id
  useLayoutEffect(() => {
    const was = before.current
    before.current = id
    const isGone = was !== undefined && was !== id && !rows.some((row) => row.id === was)
    if (isGone && id !== undefined) unread.came(id)
  }, [rows, id, unread])
  return unread
}
