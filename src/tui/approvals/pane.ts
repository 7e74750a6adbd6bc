import type { Account } from '../live/account.js'

/** The part of the screen that receives the keys: the list itself, or a pane over it. */
export type Pane = { kind: 'list' } | { kind: 'details' } | ConfirmPane | ReasonPane

/** The question before orders are approved. It takes no answer until it can name mode and broker. */
export interface ConfirmPane {
  kind: 'confirm'
  ids: readonly number[]
  account: Account | undefined
}

export interface ReasonPane {
  kind: 'reason'
  ids: readonly number[]
}
