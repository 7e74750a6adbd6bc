import { messageOf } from '../../core/errors/index.js'
import type { ApprovalPlan } from '../../views/approvals/plan.js'
import { visible } from '../../views/table/cells.js'
import type { Account } from '../live/account.js'
import type { LiveDaemon } from '../live/daemon.js'
import { useDaemon } from '../live/use-daemon.js'
import { useCurrent } from '../question/use-question.js'
import { Decisions } from './decisions.js'
import { readPlan } from './feed.js'
import { decisionOf, type QueueRow } from './rows.js'

/** The step before a decision: nothing yet, or a question over the list. */
export type Pane = { kind: 'list' } | ConfirmPane | ReasonPane | RemovePane

/** The question before orders are approved. It takes no answer until it can name mode and broker. */
export interface ConfirmPane {
  kind: 'confirm'
  ids: readonly number[]
  account: Account | undefined
  /** What the approval would send; undefined while it is read, and when it could not be. */
  plan?: ApprovalPlan
  /** The number of orders beyond those of the plan: they are not approved. */
  left?: number
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
  /** Deletes the order of the question, which stays while another change waits for its answer. */
  remove(question: RemovePane): void
}

/** Leads from a key to a decision: the question first, then the requests. `onAsk` is called before each question. */
export function useDeciding(onAsk: () => void): Deciding {
  const daemon = useDaemon()
  const decisions = daemon.part(Decisions)
  const { shown: pane, now, show } = useCurrent<Pane>(LIST)
  const say = (message: string) => daemon.changes.say(message)

  const decidable = (rows: readonly QueueRow[]): readonly number[] => {
    const ids = rows.filter(isPending).map(({ id }) => id)
    say(ids.length > 0 ? '' : whyNot(rows[0]))
    return ids
  }

  return {
    pane,
    show,
    async askToApprove(rows) {
      const ids = decidable(rows)
      if (ids.length === 0) return
      const asked: ConfirmPane = { kind: 'confirm', ids, account: undefined }
      onAsk()
      show(asked)
      try {
        const [account, planned] = await Promise.all([daemon.accountNow(), planOf(daemon, ids)])
        // The user may have left the question meanwhile.
        if (now() === asked) show({ ...asked, account, ...planned })
      } catch (thrown) {
        if (now() !== asked) return
        show(LIST)
        say(`Not approved: ${messageOf(thrown)}`)
      }
    },
    askToReject(rows) {
      const ids = decidable(rows)
      if (ids.length === 0) return
      onAsk()
      show({ kind: 'reason', ids })
    },
    approve(question, rows) {
      const { ids, account, plan } = question
      if (account === undefined || now() !== question) return
      show(LIST)
      const asked = new Set(ids)
      decisions.approve(
        rows.filter((row) => asked.has(row.id) && isPending(row)).map(({ id }) => id),
        { account, plan },
      )
    },
    reject(question, reason) {
      if (now() !== question) return false
      const refusal = daemon.refusal()
      if (refusal !== undefined) {
        show({ ...question, refusal })
        return false
      }
      show(LIST)
      decisions.reject(question.ids, reason.trim())
      return true
    },
    askToRemove(row) {
      if (row === undefined) return
      if (isPending(row)) return say(`Approval ${row.id} is pending: approve or reject it first.`)
      say('')
      onAsk()
      show({ kind: 'remove', row })
    },
    remove(question) {
      if (now() !== question) return
      const { row } = question
      const isSent = daemon.changes.start({
        name: `Deletion of approval ${row.id}`,
        check: `svc approval show ${row.id}`,
        async send(client) {
          await client.request('DELETE /action-center/delete/:id', { params: { id: String(row.id) } })
          return 'done. The order itself stays in the journal.'
        },
      })
      if (isSent) show(LIST)
    },
  }
}

const LIST: Pane = { kind: 'list' }

/** Reads what the approval of some orders would send. A read that fails must not keep a person from deciding. */
async function planOf(daemon: LiveDaemon, ids: readonly number[]): Promise<Partial<ConfirmPane>> {
  try {
    const plan = await readPlan(daemon.reader(), ids)
    if (plan === undefined) return {}
    // Nobody approves what was not shown.
    const shown = plan.orders.map(({ id }) => id)
    return { plan, ids: shown, left: ids.length - shown.length }
  } catch (thrown) {
    return { problem: messageOf(thrown) }
  }
}

export const isPending = ({ status }: QueueRow): boolean => status === 'pending'

function whyNot(row: QueueRow | undefined): string {
  if (row === undefined) return 'No order waits for approval.'
  return `Approval ${row.id} is no longer pending: ${visible(decisionOf(row) ?? row.outcome)}.`
}
