import { useLayoutEffect, useRef } from 'react'
import { useDaemon } from '../live/use-daemon.js'
import type { QuestionText } from '../question/Question.js'
import { useCurrent } from '../question/use-question.js'
import type { CommandAccess } from './access.js'
import { type Accepted, confirmed, type Decision, decisionOn } from './decision.js'
import { CommandRun } from './run/run.js'
import { CommandRuns } from './run/runs.js'
import type { CommandLine } from './use-command.js'

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

/** Runs the lines that the user submits, after a question where a command may change something at the broker. */
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
  const start = ({ text, line: shownLine, words, check: outcome }: Accepted) => {
    line.remember(text)
    const started = new CommandRun(access, shownLine, words, width)
    if (outcome !== undefined) daemon.part(CommandRuns).add(started, outcome)
    show({ kind: 'running', run: started })
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
