import type { Account } from '../live/account.js'
import type { StrategyRow } from './feed.js'
import type { Question } from './questions.js'

export const TABS = ['legs', 'events', 'runs'] as const
export type Tab = (typeof TABS)[number]

/** The part of the screen that receives the keys. */
export type Pane = Home | ModePane | ReadingPane | QuestionPane

/** The list, or the details of the chosen strategy. */
export interface Home {
  kind: 'list' | 'details'
}

/** The choice of the mode of a run. */
export interface ModePane {
  kind: 'mode'
  row: StrategyRow
}

/** A question whose facts the daemon is asked for. */
export interface ReadingPane {
  kind: 'reading'
}

export interface QuestionPane {
  kind: 'question'
  question: Question
  /** The modes and the broker that the question names: its change is sent to no other. */
  account?: Account
}
