import { randomUUID } from 'node:crypto'
import { useEffect, useState } from 'react'
import { messageOf } from '../../core/errors/index.js'
import type { Line } from '../../views/grammar/line.js'
import { parseOrderLine } from '../../views/grammar/parse.js'
import { GRAMMAR } from '../../views/grammar/table.js'
import { useDaemon } from '../live/use-daemon.js'
import { Doubts } from '../question/Doubts.js'
import { type QuestionState, useQuestion } from '../question/use-question.js'
import type { Candidate } from './access.js'
import { linePreview, lineReview, orderLineIn } from './order-line.js'
import type { CommandLine } from './use-command.js'

/** An order line that is typed: what it would do, and the review that leads to it. */
export interface TypedOrder {
  /** True for a line that begins with a word of the grammar, also after `do`. */
  isTyped: boolean
  /** What the line as it is now would do, or why it is not understood. */
  preview: readonly string[]
  /** The words that may stand in the line, while it is not understood. */
  words: readonly Candidate[]
  /** The review; undefined while the user types. */
  review: QuestionState | undefined
  /** Why the line, as it is now, is not reviewed or not sent. */
  refusal: string
  /** Opens the review of the line. */
  submit(): void
  confirm(): Promise<void>
  leave(): void
}

/** Leads from an order line to its review, and from there to one request. `onSent` is called when it is sent. */
export function useOrderLine(line: CommandLine, onSent: () => void): TypedOrder {
  const daemon = useDaemon()
  const { text } = line
  const question = useQuestion((change) => Doubts.watchedBy(change, daemon))
  const [refused, setRefused] = useState<{ text: string; reason: string }>()
  const typed = orderLineIn(text)
  const read = typed !== undefined && hasMore(typed) ? parseOrderLine(typed) : undefined
  const understood = read !== undefined && !('refusal' in read) ? read : undefined
  const found = usePreview(understood, text)
  const refuse = (reason: string) => setRefused({ text, reason })
  return {
    isTyped: typed !== undefined,
    preview: read !== undefined && 'refusal' in read ? [read.refusal] : found,
    words: read !== undefined && 'refusal' in read ? WORDS : [],
    review: question.state,
    refusal: refused?.text === text ? refused.reason : '',
    submit() {
      const key = randomUUID()
      setRefused(undefined)
      void question.askForOrders(async (client, account) => {
        const review = await lineReview(client, account, typed ?? text, key)
        if ('refusal' in review) return review
        return {
          ...review,
          onSent() {
            line.remember(text)
            onSent()
          },
        }
      }, refuse)
    },
    async confirm() {
      // The line covers the message of the screen.
      if (!(await question.confirm())) refuse(daemon.changes.message.get())
    },
    leave: () => question.leave(),
  }
}

/** Returns whether a first word is complete: `b` may become `broker`. */
const hasMore = (text: string) => /\S\s/.test(text)

const WORDS: readonly Candidate[] = GRAMMAR.map(({ example, form, meaning }) => ({
  value: form,
  summary: `${meaning} (${example})`,
}))

/** A fast typist needs no preview for each character. */
const PAUSE_MS = 200
const NONE: readonly string[] = []

/** Returns the preview of a line, a short pause after the last key. That of an earlier line is never shown. */
function usePreview(line: Line | undefined, text: string): readonly string[] {
  const daemon = useDaemon()
  const [found, setFound] = useState<{ text: string; lines: readonly string[] }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the line
  useEffect(() => {
    if (line === undefined) return
    let isCurrent = true
    const timer = setTimeout(() => {
      linePreview(daemon.reader(), line)
        .catch((thrown: unknown) => [messageOf(thrown)])
        .then((lines) => isCurrent && setFound({ text, lines }))
    }, PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [daemon, text])
  if (line === undefined) return NONE
  return found?.text === text ? found.lines : READING
}

const READING: readonly string[] = ['Asking the daemon …']
