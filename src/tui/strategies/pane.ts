import type { Account } from '../live/account.js'
import type { StrategyRow } from './feed.js'
import type { Question } from './questions.js'

export const TABS = ['legs', 'events', 'runs'] as const
export type Tab = (typeof TABS)[number]

/** The part of the screen that receives the keys. */
export type Pane = { kind: 'list' } | { kind: 'details' } | ModePane | QuestionPane

/** The choice of the mode of a run. */
export interface ModePane {
  kind: 'mode'
  row: StrategyRow
}

export interface QuestionPane {
  kind: 'question'
  question: Question
  /** The modes and the broker that the question names: the start is sent to no other. */
  account?: Account
}
