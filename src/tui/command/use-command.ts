import { useEffect, useMemo, useState } from 'react'
import { Kept, useKept } from '../live/kept.js'
import type { Candidate, CommandAccess } from './access.js'
import { parsedLine, quoted } from './words.js'

/** The line that is typed, and the words that may follow. */
export interface CommandLine {
  text: string
  candidates: readonly Candidate[]
  type(text: string): void
  /** Inserts the next candidate, or what all of them share. */
  complete(): void
  /** Goes through the lines that were run. */
  recall(by: number): void
  /** Keeps a line that is run. */
  remember(line: string): void
}

const HISTORY = new Kept<readonly string[]>([])
const MOST_KEPT = 200
/** A fast typist needs no candidates for each character. */
const PAUSE_MS = 120

/** Edits a command line with completion and history. */
export function useCommandLine(access: CommandAccess): CommandLine {
  const [text, setText] = useState('')
  const [history, setHistory] = useKept(HISTORY)
  const [at, setAt] = useState(history.length)
  const candidates = useCandidates(access, text)
  return {
    text,
    candidates,
    type(next) {
      setText(next)
      setAt(history.length)
    },
    complete: () => setText(completed(text, candidates)),
    recall(by) {
      const next = Math.min(Math.max(0, at + by), history.length)
      setAt(next)
      setText(history[next] ?? '')
    },
    remember(line) {
      setHistory([...history.filter((one) => one !== line), line].slice(-MOST_KEPT))
    },
  }
}

function useCandidates(access: CommandAccess, text: string): readonly Candidate[] {
  const [found, setFound] = useState<{ text: string; candidates: readonly Candidate[] }>()
  useEffect(() => {
    let isCurrent = true
    const timer = setTimeout(() => {
      const { words } = parsedLine(text)
      access
        .complete(words)
        .catch(() => [])
        .then((candidates) => isCurrent && setFound({ text, candidates }))
    }, PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [access, text])
  return useMemo(() => (found?.text === text ? found.candidates : []), [found, text])
}

/** Returns a line with its last word replaced: by the only candidate, or by the beginning that all share. */
export function completed(text: string, candidates: readonly Candidate[]): string {
  const { words } = parsedLine(text)
  const [first, ...rest] = candidates.map(({ value }) => value)
  if (first === undefined) return text
  const shared = rest.reduce(sharedStart, first)
  const last = words.at(-1) ?? ''
  if (shared.length < last.length || (shared === last && rest.length > 0)) return text
  const before = words.slice(0, -1).map(quoted)
  return [...before, rest.length === 0 ? `${quoted(shared)} ` : quoted(shared)].join(' ')
}

function sharedStart(one: string, other: string): string {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return one.slice(0, length)
}
