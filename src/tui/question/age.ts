import { useEffect, useRef } from 'react'
import type { LiveDaemon } from '../live/daemon.js'
import { useDaemon } from '../live/use-daemon.js'

/** Prices and books move: what a question shows counts for so long. */
const OLD_MS = 60_000
const LOOK_MS = 1000

/** When the facts of a question were read. */
export interface ReadTime {
  steady: number
  day: number
  suspensions: number
}

/** When the facts of a question were read, and how to read them again. */
export interface Reading {
  at: ReadTime
  /** Reads the facts, and asks with the new ones. */
  again(): void
}

/** Knows the age of the facts that questions show. */
export class QuestionAges {
  /** Returns the time in milliseconds, which is never set back. It may stand still while the machine sleeps. */
  clock: () => number = () => performance.now()
  readonly #daemon: LiveDaemon

  constructor(daemon: LiveDaemon) {
    this.#daemon = daemon
  }

  now(): ReadTime {
    return { steady: this.clock(), day: Date.now(), suspensions: this.#daemon.suspensions }
  }

  /** Returns whether facts may be old: after a minute, of which a sleep is a part, or once the program was suspended. */
  isOld(read: ReadTime): boolean {
    const now = this.now()
    if (now.suspensions !== read.suspensions) return true
    return Math.max(now.steady - read.steady, now.day - read.day) > OLD_MS
  }
}

/** A hook: calls `onOld` once the facts of a question may be old. */
export function useGrowingOld(read: ReadTime | undefined, onOld: () => void): void {
  const ages = useDaemon().part(QuestionAges)
  const latest = useRef(onOld)
  useEffect(() => {
    latest.current = onOld
  })
  useEffect(() => {
    if (read === undefined) return
    const timer = setInterval(() => {
      if (ages.isOld(read)) latest.current()
    }, LOOK_MS)
    return () => clearInterval(timer)
  }, [read, ages])
}
