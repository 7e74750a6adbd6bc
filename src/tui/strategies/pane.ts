import type { QuestionState } from '../question/use-question.js'
import type { StrategyRow } from './feed.js'

export const TABS = ['legs', 'events', 'runs'] as const
export type Tab = (typeof TABS)[number]

/** The part of the screen that receives the keys. */
export type Pane = Home | ModePane | QuestionState

/** The list, or the details of the chosen strategy. */
export interface Home {
  kind: 'list' | 'details'
}

/** The choice of the mode of a run. */
export interface ModePane {
  kind: 'mode'
  row: StrategyRow
}
