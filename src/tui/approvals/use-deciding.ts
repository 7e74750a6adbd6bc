import { useState } from 'react'
import { visible } from '../../cli/output/tables/cells.js'
import { goesToSame } from '../live/account.js'
import type { Decisions } from './decisions.js'
import type { ApprovalFeed } from './feed.js'
import type { ConfirmPane, Pane, ReasonPane } from './pane.js'
import { decisionOf, type ScreenRow } from './row-state.js'

export interface Deciding {
  pane: Pane
  /** The reason why a key did nothing; empty when there is none. */
  message: string
  show(pane: Pane): void
  clearMessage(): void
  /** Asks whether to approve the orders among these that are pending. */
  askToApprove(rows: readonly ScreenRow[]): Promise<void>
  /** Asks for the reason to reject the orders among these that are pending. */
  askToReject(rows: readonly ScreenRow[]): void
  /** Approves the orders of the question that are still pending. @returns whether they were sent */
  approve(question: ConfirmPane, rows: readonly ScreenRow[]): Promise<boolean>
  reject(question: ReasonPane, reason: string): void
}

/** Leads from a key to a decision: the question first, then the requests. */
export function useDeciding(feed: ApprovalFeed, decisions: Decisions): Deciding {
  const [pane, setPane] = useState<Pane>(LIST)
  const [message, setMessage] = useState('')

  const decidable = (rows: readonly ScreenRow[]): readonly number[] => {
    const ids = rows.filter(isPending).map(({ id }) => id)
    setMessage(ids.length > 0 ? '' : whyNot(rows[0]))
    return ids
  }
  const failed = (thrown: unknown) =>
    setMessage(`Not approved: ${visible(thrown instanceof Error ? thrown.message : String(thrown))}`)

  return {
    pane,
    message,
    show: setPane,
    clearMessage: () => setMessage(''),
    async askToApprove(rows) {
      const ids = decidable(rows)
      if (ids.length === 0) return
      const asked: ConfirmPane = { kind: 'confirm', ids, account: undefined }
      setPane(asked)
      try {
        const account = await feed.accountNow()
        // The user may have left the question meanwhile.
        setPane((now) => (now === asked ? { ...asked, account } : now))
      } catch (thrown) {
        setPane((now) => (now === asked ? LIST : now))
        failed(thrown)
      }
    },
    askToReject(rows) {
      const ids = decidable(rows)
      if (ids.length > 0) setPane({ kind: 'reason', ids })
    },
    async approve({ ids, account: named }, rows) {
      setPane(LIST)
      const waiting = rows.filter((row) => ids.includes(row.id) && isPending(row)).map(({ id }) => id)
      try {
        // The user confirmed these orders for this mode and this broker, and for no other.
        if (named === undefined || !goesToSame(await feed.accountNow(), named)) {
          setMessage('Not approved: the mode or the broker has changed. Look at the header, then try again.')
          return false
        }
        decisions.approve(waiting)
        return true
      } catch (thrown) {
        failed(thrown)
        return false
      }
    },
    reject({ ids }, reason) {
      setPane(LIST)
      decisions.reject(ids, reason.trim())
    },
  }
}

const LIST: Pane = { kind: 'list' }

export const isPending = ({ status }: ScreenRow): boolean => status === 'pending'

function whyNot(row: ScreenRow | undefined): string {
  if (row === undefined) return 'No order waits for approval.'
  return `Approval ${row.id} is no longer pending: ${visible(decisionOf(row) ?? row.outcome)}.`
}
