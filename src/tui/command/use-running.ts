import { useLayoutEffect, useRef } from 'react'
import { messageOf } from '../../core/errors/index.js'
import { type Account, requireSame } from '../live/account.js'
import type { LiveDaemon } from '../live/daemon.js'
import { useDaemon } from '../live/use-daemon.js'
import type { QuestionText } from '../question/Question.js'
import { type Refusal, useCurrent } from '../question/use-question.js'
import type { CommandAccess } from './access.js'
import { mayChange, refusalOf, withTable } from './reads.js'
import { CommandRun } from './run.js'
import type { CommandLine } from './use-command.js'
import { parsedLine } from './words.js'

/** The words of a line, the question that comes first, and the mode and the broker that it names. */
interface Accepted {
  text: string
  words: readonly string[]
  question?: QuestionText
  account?: Account
}

type Decision = Accepted | Refusal

/** How far a line has come. */
type Step =
  | { kind: 'typing'; refusal: string }
  | { kind: 'checking' }
  | { kind: 'asked'; accepted: Accepted }
  | { kind: 'running'; run: CommandRun }

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
  const daemon = useDaemon()
  const { shown, now, show } = useCurrent<Step>(TYPING)
  const isLeft = useRef(false)
  useLayoutEffect(() => {
    isLeft.current = false
    return () => {
      isLeft.current = true
    }
  }, [])
  const run = shown.kind === 'running' ? shown.run : undefined
  // Nobody would see the end of a command that runs on.
  useLayoutEffect(() => () => run?.interrupt(), [run])
  const start = ({ text, words }: Accepted) => {
    line.remember(text)
    show({ kind: 'running', run: new CommandRun(access, text, words, width) })
    line.type('')
  }
  /** Goes on after a check. Nothing runs for a user who has left the line or the question. */
  const check = async (decision: Promise<Decision>, next: (accepted: Accepted) => void) => {
    const checking: Step = { kind: 'checking' }
    show(checking)
    const decided = await decision
    if (isLeft.current || now() !== checking) return
    if ('refusal' in decided) show({ kind: 'typing', refusal: decided.refusal })
    else next(decided)
  }
  return {
    run,
    question: shown.kind === 'asked' ? shown.accepted.question : undefined,
    refusal: shown.kind === 'typing' ? shown.refusal : '',
    isChecking: () => now().kind === 'checking',
    // A press that comes before the next drawing finds another step, and does nothing.
    submit() {
      if (now() !== shown || shown.kind !== 'typing') return
      void check(decisionOn(line.text.trim(), access, daemon), (accepted) =>
        accepted.question === undefined ? start(accepted) : show({ kind: 'asked', accepted }),
      )
    },
    confirm() {
      if (now() === shown && shown.kind === 'asked') void check(confirmed(shown.accepted, daemon), start)
    },
    cancel: () => show(TYPING),
    leave: () => show(TYPING),
  }
}

const TYPING: Step = { kind: 'typing', refusal: '' }

async function decisionOn(text: string, access: CommandAccess, daemon: LiveDaemon): Promise<Decision> {
  const { words: all, isOpen } = parsedLine(text)
  const words = all[0] === 'svc' ? all.slice(1) : all
  if (isOpen) return { refusal: 'A quote is not closed.' }
  if (words.every((word) => word === '')) return { refusal: 'Type a command of svc, such as: order list' }
  const command = await access.commandOf(words).catch(() => undefined)
  const refusal = refusalOf(command)
  if (refusal !== undefined) return { refusal }
  const accepted = { text, words: withTable(words, command) }
  if (!mayChange(command)) return accepted
  const lines = [`svc ${text}`]
  try {
    const account = await daemon.accountNow()
    if (account.analyze_mode) return accepted
    return { ...accepted, account, question: { title: `Run this in LIVE mode at ${account.broker}?`, lines } }
  } catch {
    const title = 'Run this? The daemon did not say its mode: it may be LIVE.'
    return { ...accepted, question: { title, lines } }
  }
}

/** Decides again about a line after the yes: it is for the mode and the broker that the question named. */
async function confirmed(accepted: Accepted, daemon: LiveDaemon): Promise<Decision> {
  try {
    if (accepted.account !== undefined) await requireSame(daemon.accountNow(), accepted.account)
    return accepted
  } catch (thrown) {
    return { refusal: `Not run: ${messageOf(thrown)}` }
  }
}
