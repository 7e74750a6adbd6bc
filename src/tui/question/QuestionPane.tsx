import { keysOfQuestion, Question } from '../components/Question.js'
import type { KeyHelp } from '../keys/KeyLine.js'
import type { Area } from '../terminal/size.js'
import type { QuestionState } from './use-question.js'

interface QuestionPaneProps extends Area {
  state: QuestionState
  onConfirm(): void
  onLeave(): void
}

/** The question before a change, in place of the content of the screen. */
export function QuestionPane({ state, onConfirm, onLeave, ...area }: QuestionPaneProps) {
  if (state.kind === 'reading')
    return <Question {...area} question={READING} onConfirm={ignore} onCancel={onLeave} />
  return <Question {...area} question={state.question} onConfirm={onConfirm} onCancel={onLeave} />
}

const READING = { title: 'Asking the daemon …', lines: [] }
const ignore = () => undefined

/** Returns the keys of a question, in place of those of the screen. */
export function keysOfState(state: QuestionState): readonly KeyHelp[] {
  return state.kind === 'asked' ? keysOfQuestion(state.question) : READING_KEYS
}

const READING_KEYS: readonly KeyHelp[] = [{ keys: 'esc', does: 'cancel' }]
