import { useState } from 'react'
import { visible } from '../../cli/output/tables/cells.js'
import { messageOf } from '../live/message-of.js'
import { useDesk } from '../live/use-desk.js'
import type { Decisions } from './decisions.js'
import type { ConfirmPane, Pane, ReasonPane, RemovePane } from './pane.js'
import { decisionOf, type QueueRow } from './row-state.js'

export interface Deciding {
  pane: Pane
  show(pane: Pane): void
  /** Asks whether to approve the orders among these that are pending. */
  askToApprove(rows: readonly QueueRow[]): Promise<void>
  /** Asks for the reason to reject the orders among these that are pending. */
  askToReject(rows: readonly QueueRow[]): void
  /** Approves the orders of the question that are still pending, once it names mode and broker. */
  approve(question: ConfirmPane, rows: readonly QueueRow[]): void
  /** Rejects the orders of the question. Without a connection the question stays, with what was typed. @returns whether it is sent */
  reject(question: ReasonPane, reason: string): boolean
  /** Asks whether to delete a decided order from the queue. */
  askToRemove(row: QueueRow | undefined): void
  remove(question: RemovePane): void
}

/** Leads from a key to a decision: the question first, then the requests. */
export function useDeciding(decisions: Decisions): Deciding {
  const desk = useDesk()
  const [pane, setPane] = useState<Pane>(LIST)
  const say = (message: string) => desk.changes.say(message)

  const decidable = (rows: readonly QueueRow[]): readonly number[] => {
    const ids = rows.filter(isPending).map(({ id }) => id)
    say(ids.length > 0 ? '' : whyNot(rows[0]))
    return ids
  }

  return {
    pane,
    show: setPane,
    async askToApprove(rows) {
      const ids = decidable(rows)
      if (ids.length === 0) return
      const asked: ConfirmPane = { kind: 'confirm', ids, account: undefined }
      setPane(asked)
      try {
        const account = await desk.accountNow()
        // The user may have left the question meanwhile.
        setPane((now) => (now === asked ? { ...asked, account } : now))
      } catch (thrown) {
        setPane((now) => (now === asked ? LIST : now))
        say(`Not approved: ${messageOf(thrown)}`)
      }
    },
    askToReject(rows) {
      const ids = decidable(rows)
      if (ids.length > 0) setPane({ kind: 'reason', ids })
    },
    approve({ ids, account }, rows) {
      if (account === undefined) return
      setPane(LIST)
      decisions.approve(
        rows.filter((row) => ids.includes(row.id) && isPending(row)).map(({ id }) => id),
        account,
      )
    },
    reject(question, reason) {
      const refusal = desk.refusal()
      if (refusal !== undefined) {
        setPane({ ...question, refusal })
        return false
      }
      setPane(LIST)
      decisions.reject(question.ids, reason.trim())
      return true
    },
    askToRemove(row) {
      if (row === undefined) return
      if (isPending(row)) return say(`Approval ${row.id} is pending: approve or reject it first.`)
      say('')
      setPane({ kind: 'remove', row })
    },
    remove({ row }) {
      setPane(LIST)
      desk.changes.start({
        ...{ name: `Deletion of approval ${row.id}`, check: `svc approval show ${row.id}` },
        async send(client) {
          await client.request('DELETE /action-center/delete/:id', { params: { id: String(row.id) } })
          return 'done. The order itself stays in the journal.'
        },
      })
    },
  }
}

const LIST: Pane = { kind: 'list' }

export const isPending = ({ status }: QueueRow): boolean => status === 'pending'

function whyNot(row: QueueRow | undefined): string {
  if (row === undefined) return 'No order waits for approval.'
  return `Approval ${row.id} is no longer pending: ${visible(decisionOf(row) ?? row.outcome)}.`
}
