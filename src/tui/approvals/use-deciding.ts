import { messageOf } from '../../core/errors/index.js'
import { type ApprovalPlan, PASSES, type PlannedOrder, verdictOf } from '../../views/approvals/plan.js'
import { type ApprovalRule, beyondRule, moneyAtStake } from '../../views/approvals/rule.js'
import { visible } from '../../views/table/cells.js'
import type { Account } from '../live/account.js'
import type { LiveDaemon } from '../live/daemon.js'
import { useDaemon } from '../live/use-daemon.js'
import { QuestionAges, type Reading, useGrowingOld } from '../question/age.js'
import { useCurrent } from '../question/use-question.js'
import { approvalWord } from '../question/weight.js'
import type { Seen } from './decision.js'
import { Decisions } from './decisions.js'
import { PlanFeed, readPlan } from './feed.js'
import type { ResultsPane } from './Results.js'
import { decisionOf, orderText, type QueueRow } from './rows.js'
import { Unread } from './unread.js'

/** The step before or after a decision: nothing, a question over the list, or the results of several. */
export type Pane = { kind: 'list' } | ConfirmPane | ReasonPane | RemovePane | ResultsPane | RulePane

/** The question before orders are approved. It takes no answer until it can name mode and broker. */
export interface ConfirmPane {
  kind: 'confirm'
  ids: readonly number[]
  account: Account | undefined
  /** What the approval would send; undefined while it is read, and when it could not be. */
  plan?: ApprovalPlan
  /** The number of orders beyond those of the plan: they are not approved. */
  left?: number
  /** The rule by which they were chosen. Its limits hold until each is sent. */
  rule: ApprovalRule
  /** The orders that do not fit the rule, each with the reason. */
  excepted?: readonly string[]
  /** Why the plan could not be read. */
  problem?: string
  reading: Reading
  /** True once the plan may be old: it must be read again before it can be approved. */
  isOld: boolean
}

/** The line that takes the rule of which orders are approved. */
export interface RulePane {
  kind: 'rule'
  refusal?: string
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
  /** Approves the order whose plan is on the screen, if that needs no question; otherwise {@link askToApprove}. */
  approveOrAsk(rows: readonly QueueRow[]): Promise<void>
  /** Asks whether to approve the orders among these that are pending, and fit a rule. */
  askToApprove(rows: readonly QueueRow[], rule?: ApprovalRule): Promise<void>
  /** Asks for the reason to reject the orders among these that are pending. */
  askToReject(rows: readonly QueueRow[]): void
  /**
   * Approves the orders of the question that are still pending, once it names mode and broker, unless its plan may be old.
   * @returns whether the question is answered
   */
  approve(question: ConfirmPane, rows: readonly QueueRow[]): boolean
  /** Rejects the orders of the question. Without a connection the question stays, with what was typed. @returns whether it is sent */
  reject(question: ReasonPane, reason: string, rows: readonly QueueRow[]): boolean
  /** Drops the newest decision that is not sent yet. @returns one of its orders */
  undo(): number | undefined
  /** Asks whether to delete a decided order from the queue. */
  askToRemove(row: QueueRow | undefined): void
  /** Deletes the order of the question, which stays while another change waits for its answer. */
  remove(question: RemovePane): void
}

/** What the list does beside a decision. */
interface AroundDecisions {
  /** Called before each question. */
  onAsk(): void
  /** Called when orders are decided: the cursor goes on to the next one. @returns the next one; undefined if none waits */
  onDecided(ids: readonly number[]): number | undefined
}

/** Leads from a key to a decision: the question first, where there is one, then the requests. */
export function useDeciding({ onAsk, onDecided }: AroundDecisions): Deciding {
  const daemon = useDaemon()
  const decisions = daemon.part(Decisions)
  const { shown: pane, now, show } = useCurrent<Pane>(LIST)
  const ages = daemon.part(QuestionAges)
  const say = (message: string) => daemon.changes.say(message)
  const confirmed = pane.kind === 'confirm' && !pane.isOld ? pane : undefined
  useGrowingOld(confirmed?.reading.at, () => {
    if (confirmed !== undefined && now() === confirmed) show({ ...confirmed, isOld: true })
  })

  const decidable = (rows: readonly QueueRow[]): readonly number[] => {
    const ids = rows.filter((row) => isPending(row) && decisions.isFree(row.id)).map(({ id }) => id)
    say(ids.length > 0 ? '' : whyNot(rows[0]))
    return ids
  }

  /** Shows what is decided: the results of several orders, or how one can be undone. @returns the order that comes next */
  const decided = (ids: readonly number[], rows: readonly QueueRow[]) => {
    const chosen = new Set(ids)
    const orders = rows
      .filter(({ id }) => chosen.has(id))
      .map((row) => ({ id: row.id, text: orderText(row) }))
    if (orders.length > 1)
      show({ kind: 'results', orders: orders.toSorted((one, other) => one.id - other.id) })
    const [id] = ids
    const progress = id === undefined ? undefined : decisions.progress.get().get(id)
    if (ids.length === 1 && progress?.step === 'held') say(`Approval ${id}: ${progress.text}`)
    return onDecided(ids)
  }

  const askToApprove: Deciding['askToApprove'] = async (rows, rule = {}) => {
    const ids = decidable(rows)
    if (ids.length === 0) return
    const again = () => {
      show(LIST)
      void askToApprove(rows, rule)
    }
    const reading = { at: ages.now(), again }
    const asked: ConfirmPane = { kind: 'confirm', ids, account: undefined, rule, reading, isOld: false }
    onAsk()
    show(asked)
    try {
      const [account, planned] = await Promise.all([daemon.accountNow(), planOf(daemon, ids, rule)])
      // The user may have left the question meanwhile.
      if (now() === asked) show({ ...asked, account, ...planned })
    } catch (thrown) {
      if (now() !== asked) return
      show(LIST)
      say(`Not approved: ${messageOf(thrown)}`)
    }
  }

  return {
    pane,
    show,
    askToApprove,
    async approveOrAsk(rows) {
      const ids = decidable(rows)
      const seen = plainPlan(daemon, ids)
      if (seen === undefined || !decisions.canUndo(seen)) return askToApprove(rows)
      decisions.approve(ids, seen)
      const next = decided(ids, rows)
      // One more press of the key was meant for the order before. A key that answers a question is another one.
      if (next !== undefined) daemon.part(Unread).came(next)
    },
    askToReject(rows) {
      const ids = decidable(rows)
      if (ids.length === 0) return
      onAsk()
      show({ kind: 'reason', ids })
    },
    approve(question, rows) {
      const { ids, account, plan, rule, reading } = question
      if (account === undefined || now() !== question) return false
      if (ages.isOld(reading.at)) {
        show({ ...question, isOld: true })
        return false
      }
      show(LIST)
      const asked = new Set(ids)
      const pending = rows.filter((row) => asked.has(row.id) && isPending(row)).map(({ id }) => id)
      if (pending.length === 0) {
        const row = rows.find(({ id }) => id === ids[0])
        say(ids.length === 1 && row ? whyNot(row) : 'Not approved: none of these orders waits any more.')
        return true
      }
      decisions.approve(pending, { account, plan, rule })
      decided(pending, rows)
      return true
    },
    reject(question, reason, rows) {
      if (now() !== question) return false
      const refusal = daemon.refusal()
      if (refusal !== undefined) {
        show({ ...question, refusal })
        return false
      }
      show(LIST)
      decisions.reject(question.ids, reason.trim())
      decided(question.ids, rows)
      return true
    },
    undo() {
      const ids = decisions.undo()
      const [id, ...others] = ids
      if (id === undefined) say('No decision waits to be sent: there is nothing to undo.')
      else
        say(
          others.length === 0
            ? `Approval ${id} is undecided again.`
            : `${ids.length} orders are undecided again.`,
        )
      if (now().kind === 'results') show(LIST)
      return id
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

/**
 * Returns the plan on the screen where it needs no question: one order that every check passes, with nothing more to say of it,
 * and of too little money for a word. It is what the user decides about, and the daemon sends nothing else.
 */
function plainPlan(daemon: LiveDaemon, [id, ...others]: readonly number[]): Seen | undefined {
  const { shown: plan } = daemon.part(PlanFeed)
  const { content: header } = daemon.status.state()
  const [order] = plan?.orders ?? []
  if (plan === undefined || order === undefined || order.id !== id || others.length > 0) return undefined
  const account = { analyze_mode: plan.mode === 'analyze', broker: plan.broker }
  // The header names the place that the order goes to.
  if (header?.analyze_mode !== account.analyze_mode || header.broker !== account.broker) return undefined
  const [leg, ...more] = order.legs
  const isPlain =
    leg !== undefined && more.length === 0 && !order.mode_change && !order.note && !order.refusal
  if (!isPlain || verdictOf(leg) !== PASSES) return undefined
  const { word } = approvalWord(account, { orders: 1, value: moneyAtStake([order]) })
  return word === undefined ? { account, plan } : undefined
}

/** Reads what the approval of some orders would send. A read that fails must not keep a person from deciding. */
async function planOf(
  daemon: LiveDaemon,
  ids: readonly number[],
  rule: ApprovalRule,
): Promise<Partial<ConfirmPane>> {
  try {
    const plan = await readPlan(daemon.reader(), ids)
    if (plan === undefined) return {}
    const why = (order: PlannedOrder) => beyondRule(order, rule)
    const orders = plan.orders.filter((order) => why(order) === undefined)
    return {
      plan: { ...plan, orders },
      // Nobody approves what was not shown.
      ids: orders.map(({ id }) => id),
      left: ids.length - plan.orders.length,
      excepted: plan.orders.flatMap((order) => {
        const reason = why(order)
        return reason === undefined ? [] : `${order.id} ${order.api_type} ${order.strategy}: ${reason}`
      }),
    }
  } catch (thrown) {
    // A limit that cannot be checked is no limit.
    if (rule.maxDrift !== undefined || rule.maxValue !== undefined) throw thrown
    return { problem: messageOf(thrown) }
  }
}

export const isPending = ({ status }: QueueRow): boolean => status === 'pending'

function whyNot(row: QueueRow | undefined): string {
  if (row === undefined) return 'No order waits for approval.'
  if (isPending(row)) return `Approval ${row.id}: ${visible(row.outcome)}`
  return `Approval ${row.id} is no longer pending: ${visible(decisionOf(row) ?? row.outcome)}.`
}
