import type { ApprovalPlan } from '../../views/approvals/plan.js'
import type { Account } from '../live/account.js'
import type { QueueRow } from './row-state.js'

/** The part of the screen that receives the keys: the list itself, or a pane over it. */
export type Pane = { kind: 'list' } | DetailsPane | ConfirmPane | ReasonPane | RemovePane

/** One order, whatever the list under it does. */
export interface DetailsPane {
  kind: 'details'
  id: number
}

/** The question before orders are approved. It takes no answer until it can name mode and broker. */
export interface ConfirmPane {
  kind: 'confirm'
  ids: readonly number[]
  account: Account | undefined
  /** What the approval would send; undefined while it is read, and when it could not be. */
  plan?: ApprovalPlan
  /** Why the plan could not be read. */
  problem?: string
}

export interface ReasonPane {
  kind: 'reason'
  ids: readonly number[]
  /** Why the last attempt was not sent. */
  refusal?: string
}

/** The question before a decided order is deleted. */
export interface RemovePane {
  kind: 'remove'
  row: QueueRow
}
