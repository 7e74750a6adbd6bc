import { type ApprovalPlan, legLines } from '../../views/approvals/plan.js'
import { isNamedBy, moneyAtStake, parseRule } from '../../views/approvals/rule.js'
import { rupees } from '../../views/table/cells.js'
import { countText } from '../../views/text/count.js'
import { TextField } from '../components/form/TextField.js'
import { type Account, modeAndBroker } from '../live/account.js'
import { OLD_KEYS, Question, type QuestionText, questionKeys } from '../question/Question.js'
import { approvalWord } from '../question/weight.js'
import type { Cover, ListShown, WithOwn } from '../screen/record.js'
import { countAndValue, type Queue } from './queue.js'
import { Results } from './Results.js'
import { orderText, type QueueRow } from './rows.js'
import type { Unread } from './unread.js'
import { type ConfirmPane, type Deciding, isPending, type ReasonPane, type RulePane } from './use-deciding.js'

export interface QueueActs {
  deciding: Deciding
  statistics: Queue['statistics']
  /** How many orders wait, and their value. */
  waiting: string
  unread: Unread
}

export type QueueShown = ListShown<unknown, unknown, QueueRow> & WithOwn<QueueActs>
const CONFIRM = [
  { keys: 'y', does: 'approve' },
  { keys: 'n', does: 'cancel' },
]
const REASON = [
  { keys: 'enter', does: 'reject' },
  { keys: 'esc', does: 'cancel' },
]
const RULE = [
  { keys: 'enter', does: 'show what fits' },
  { keys: 'esc', does: 'cancel' },
]
const RESULTS = [
  { keys: '↑↓', does: 'scroll' },
  { keys: 'u', does: 'undo what is not sent' },
  { keys: 'esc', does: 'back' },
]

/** Returns the question before a decision; undefined while nothing is asked. */
export function decisionCover(shown: QueueShown): Cover | undefined {
  const { deciding } = shown.own
  const { pane } = deciding
  const onCancel = () => deciding.show({ kind: 'list' })
  switch (pane.kind) {
    case 'list':
      return undefined
    case 'reason':
      return { part: 'reason', keys: REASON, prompt: <Reason pane={pane} shown={shown} /> }
    case 'rule':
      return { part: 'rule', keys: RULE, prompt: <Rule pane={pane} shown={shown} /> }
    case 'results':
      return { part: 'results', keys: RESULTS, draw: (area) => <Results {...area} orders={pane.orders} /> }
    case 'confirm': {
      const rows = shown.rows.filter((row) => pane.ids.includes(row.id) && isPending(row))
      const onConfirm = () => {
        // The marks of those that are left stay for the next question.
        if (deciding.approve(pane, shown.rows) && !pane.left) unmark(shown)
      }
      const question = approveQuestion(rows, pane)
      const onAgain = pane.isOld ? pane.reading.again : undefined
      const asked = { question, onConfirm, onCancel, onAgain }
      const keys = pane.isOld ? OLD_KEYS : question.word === undefined ? CONFIRM : questionKeys(question)
      return { part: 'confirm', keys, draw: (area) => <Question {...area} {...asked} /> }
    }
    case 'remove': {
      const question = removeQuestion(pane.row)
      const asked = { question, onConfirm: () => deciding.remove(pane), onCancel }
      return {
        part: 'remove',
        keys: questionKeys(question),
        draw: (area) => <Question {...area} {...asked} />,
      }
    }
  }
}

/** Removes the marks, if there are any: without them the cursor has gone on, and stays there. */
function unmark({ list }: Pick<QueueShown, 'list'>): void {
  if (list.marked.size > 0) list.unmark()
}

/** The line that takes the reason to reject orders. */
function Reason({ pane, shown }: { pane: ReasonPane; shown: QueueShown }) {
  const { deciding } = shown.own
  const { ids, refusal } = pane
  const orders = ids.length === 1 ? ids[0] : `${ids.length} orders`
  const label = `Reason to reject ${orders}: `
  const reject = (reason: string) => {
    if (deciding.reject(pane, reason, shown.rows)) unmark(shown)
  }
  return (
    <TextField
      label={refusal === undefined ? label : `Rejection ${refusal} ${label}`}
      onSubmit={reject}
      onCancel={() => deciding.show({ kind: 'list' })}
    />
  )
}

/** The line that takes the rule of which orders are approved; an empty one takes all that are shown. */
function Rule({ pane, shown }: { pane: RulePane; shown: QueueShown }) {
  const { deciding } = shown.own
  const ask = (line: string) => {
    const rule = parseRule(line)
    if ('refusal' in rule) return deciding.show({ kind: 'rule', refusal: rule.refusal })
    deciding.show({ kind: 'list' })
    const rows = shown.list.rows.filter((row) => isPending(row) && isNamedBy(rule, row))
    if (rows.length === 0) return shown.daemon.changes.say('No order that waits is one of the rule.')
    void deciding.askToApprove(rows, rule)
  }
  const label = 'Approve all where (value<50k drift<0.5% …): '
  return (
    <TextField
      label={pane.refusal === undefined ? label : `${pane.refusal} Approve where: `}
      onSubmit={ask}
      onCancel={() => deciding.show({ kind: 'list' })}
    />
  )
}

/** Asks before orders are approved: mode, broker, count, value, every order that is sent, and those that do not fit. */
function approveQuestion(
  rows: readonly QueueRow[],
  { account, excepted = [], left = 0, plan, problem }: Omit<ConfirmPane, 'kind' | 'ids' | 'rule' | 'reading'>,
): QuestionText {
  if (plan === undefined) {
    const lines = rows.map(orderText)
    const said = problem === undefined ? [] : [`The orders that are sent could not be read: ${problem}`]
    return {
      title: `Approve ${countAndValue(rows)} ${placeText(account)}`,
      lines: [...said, ...lines],
      ...(account && approvalWord(account, { orders: rows.length, value: null })),
    }
  }
  // Somebody else may have decided some of them since the plan was read.
  const waiting = new Set(rows.map(({ id }) => id))
  const orders = plan.orders.filter(({ id }) => waiting.has(id))
  const totals = orderTotals(orders)
  return {
    title: `Approve ${countText(totals.orders, 'order')}${legsText(orders)}, ${worthText(totals)} ${placeText(account)}`,
    lines: [
      ...(left > 0 ? [`These are the oldest. ${countText(left, 'order')} more: ask again for them.`] : []),
      ...orders.flatMap(plannedLines),
      ...excepted.map((line) => `NOT approved: ${line}`),
    ],
    ...(account && approvalWord(account, { orders: totals.orders, value: moneyAtStake(orders) })),
  }
}

type Planned = ApprovalPlan['orders'][number]
type Totals = Pick<ApprovalPlan['totals'], 'orders' | 'unknown' | 'value'>

function orderTotals(orders: readonly Planned[]): Totals {
  const known = orders.flatMap(({ value }) => value ?? [])
  const value = known.reduce((sum, one) => sum + one, 0)
  return { orders: orders.length, value, unknown: orders.length - known.length }
}

/** Returns the number of orders that are sent, where one request sends several. */
function legsText(orders: readonly Planned[]): string {
  const legs = orders.reduce((sum, { legs: own }) => sum + own.length, 0)
  return legs <= orders.length ? '' : ` of ${legs} legs`
}

function worthText({ orders, unknown, value }: Totals): string {
  if (unknown === orders) return 'value not known'
  const text = rupees(value)
  return unknown === 0 ? text : `${text} and ${unknown} of unknown value`
}

/** Returns a request with each of its orders: in one line if it is one order. */
function plannedLines(order: Planned): readonly string[] {
  const lines = legLines(order)
  const { api_type, id, strategy } = order
  if (lines.length === 1) return [`${id} ${lines[0]}`]
  return [`${id} ${api_type} ${strategy}`, ...lines.map((line) => `   ${line}`)]
}

function placeText(account: Account | undefined): string {
  if (account === undefined) return '… (asking the daemon for mode and broker)'
  return `${modeAndBroker(account)}?`
}

/** Asks before a decided order is deleted from the queue. */
function removeQuestion({ id, symbol, status }: QueueRow): QuestionText {
  return {
    title: `Delete the ${status} approval ${id} (${symbol}) from the queue?`,
    lines: ['The order itself stays in the journal.'],
  }
}
