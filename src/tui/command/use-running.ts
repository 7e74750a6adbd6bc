import { useLayoutEffect, useRef, useState } from 'react'
import type { QuestionText } from '../components/Question.js'
import type { Desk } from '../live/desk.js'
import { useDesk } from '../live/use-desk.js'
import type { CommandAccess } from './access.js'
import { mayChange, refusalOf, withTable } from './reads.js'
import { CommandRun } from './run.js'
import type { CommandLine } from './use-command.js'
import { lineOf } from './words.js'

/** The decision about a line: the reason not to run it, or its words and the question that comes first. */
type Decision = { refusal: string } | { text: string; words: readonly string[]; question?: QuestionText }
type Accepted = Exclude<Decision, { refusal: string }>

/** The line that was submitted: its question, its run, or why there is none. */
export interface Running {
  run: CommandRun | undefined
  question: QuestionText | undefined
  refusal: string
  /** Returns whether a line is checked now, and must stay as it is. */
  isChecking(): boolean
  submit(): void
  /** Runs the command of the question. */
  confirm(): void
  /** Leaves the question. */
  cancel(): void
  /** Leaves the output. */
  leave(): void
}

/** Runs the lines that the user submits, after a question where a command may change something in LIVE mode. */
export function useRunning(access: CommandAccess, line: CommandLine, width: number): Running {
  const desk = useDesk()
  const [run, setRun] = useState<CommandRun>()
  const [asked, setAsked] = useState<Accepted>()
  const [refusal, setRefusal] = useState('')
  const checking = useRef(false)
  const isLeft = useRef(false)
  useLayoutEffect(() => {
    isLeft.current = false
    return () => {
      isLeft.current = true
    }
  }, [])
  // Nobody would see the end of a command that runs on.
  useLayoutEffect(() => () => run?.interrupt(), [run])
  const start = ({ text, words }: Accepted) => {
    line.remember(text)
    setAsked(undefined)
    setRun(new CommandRun(access, text, words, width))
    line.type('')
  }
  const check = async () => {
    checking.current = true
    const decision = await decisionOn(line.text.trim(), access, desk)
    checking.current = false
    // Nothing runs for a user who has left the line.
    if (isLeft.current) return
    setRefusal('refusal' in decision ? decision.refusal : '')
    if ('refusal' in decision) return
    if (decision.question === undefined) start(decision)
    else setAsked(decision)
  }
  return {
    ...{ run, refusal, question: asked?.question },
    isChecking: () => checking.current,
    submit() {
      if (!checking.current) void check()
    },
    confirm() {
      if (asked !== undefined) start(asked)
    },
    cancel: () => setAsked(undefined),
    leave: () => setRun(undefined),
  }
}

async function decisionOn(text: string, access: CommandAccess, desk: Desk): Promise<Decision> {
  const { words: all, isOpen } = lineOf(text)
  const words = all[0] === 'svc' ? all.slice(1) : all
  if (isOpen) return { refusal: 'A quote is not closed.' }
  if (words.every((word) => word === '')) return { refusal: 'Type a command of svc, such as: order list' }
  const command = await access.commandOf(words).catch(() => undefined)
  const refusal = refusalOf(command)
  if (refusal !== undefined) return { refusal }
  const accepted = { text, words: withTable(words, command) }
  const title = mayChange(command) ? await titleIn(desk) : undefined
  return title === undefined ? accepted : { ...accepted, question: { title, lines: [`svc ${text}`] } }
}

/** Returns the question for the mode as it is now; undefined in ANALYZE mode, which needs none. */
async function titleIn(desk: Desk): Promise<string | undefined> {
  try {
    const { analyze_mode, broker } = await desk.accountNow()
    return analyze_mode ? undefined : `Run this in LIVE mode at ${broker}?`
  } catch {
    return 'Run this? The daemon did not say its mode: it may be LIVE.'
  }
}
