import { useEffect, useMemo } from 'react'
import { APPROVAL_FIELDS } from '../../views/approvals/approval.js'
import { legColumns, legFields } from '../../views/approvals/plan.js'
import type { Column } from '../../views/table/column.js'
import { Fields } from '../components/Fields.js'
import { FilterLine, listText } from '../components/list/FilterLine.js'
import { keptList, type List, useList } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import { keysOfQuestion, Question } from '../components/Question.js'
import { useStaleText } from '../components/stale.js'
import { useBindings } from '../keys/bindings.js'
import type { KeyHelp } from '../keys/KeyLine.js'
import { Kept, useKept } from '../live/kept.js'
import { useQuotes } from '../live/prices/use-quotes.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import { ScreenFrame } from '../screen/ScreenFrame.js'
import type { ScreenProps } from '../screen/screen.js'
import { useAsked } from '../screen/shell-context.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import { KEYS } from './keys.js'
import type { Pane } from './pane.js'
import { PlanFeed } from './plan-feed.js'
import { QueueTable, SORTED } from './QueueTable.js'
import { approveQuestion, removeQuestion } from './questions.js'
import { Reason } from './Reason.js'
import { type QueueRow, screenRow, symbolOf } from './row-state.js'
import { summaryOf, waitingText } from './summary.js'
import { type Approvals, TABS, type Tab, useApprovals } from './use-approvals.js'
import { type Deciding, isPending, useDeciding } from './use-deciding.js'

const TAB = new Kept<Tab>('pending')
const LISTS = { pending: keptList(), approved: keptList(), rejected: keptList() }

/** The approval queue: its rows, the details of one, and the questions before a decision. */
export function ApprovalScreen(props: ScreenProps) {
  const [tab, setTab] = useKept(TAB)
  return <Orders key={tab} {...props} tab={tab} onTab={setTab} />
}

interface OrdersProps extends ScreenProps {
  tab: Tab
  onTab(tab: Tab): void
}

/** The orders of one tab. */
function Orders({ width, height, asked, tab, onTab }: OrdersProps) {
  const approvals = useApprovals(tab)
  const list = useList(LISTS[tab], approvals.rows, SORTED)
  const deciding = useDeciding(approvals.decisions)
  const { pane } = deciding
  useAsked(asked, ({ id }) => list.choose(Number(id)))
  useOrderKeys({ tab, onTab, list, deciding, all: approvals.rows })
  const shown = pane.kind === 'details' ? approvals.rows.find(({ id }) => id === pane.id) : list.selected
  const note = shown === undefined || shown.outcome === 'pending' ? '' : noteOf(shown)
  // A queue of thousands is counted once, not at each key.
  const waiting = useMemo(() => waitingText(approvals.rows), [approvals.rows])
  const summary = summaryOf(tab, approvals.statistics, listText(list), waiting)
  const stale = useStaleText(approvals, useNow(1000))
  return (
    <ScreenFrame
      {...{ width, height, bindings: KEYS, pane: pane.kind, note }}
      {...keysOf(pane)}
      summary={stale === '' ? summary : `${stale}  ${summary}`}
      prompt={promptOf(list, deciding)}
    >
      {(area) => <Main {...{ ...area, approvals, list, deciding }} />}
    </ScreenFrame>
  )
}

interface OrderKeys {
  tab: Tab
  /** The orders with those that the filter hides. */
  all: readonly QueueRow[]
  list: List<QueueRow>
  deciding: Deciding
  onTab(tab: Tab): void
}

function useOrderKeys({ tab, list, all, deciding, onTab }: OrderKeys): void {
  const { pane } = deciding
  const { selected } = list
  const marked = all.filter(({ id }) => list.marked.has(id))
  // A key acts on what the user looks at: the shown order, otherwise the marked ones, hidden by a filter or not.
  const chosenOr = (others: readonly QueueRow[]) => {
    if (pane.kind === 'details') return all.filter(({ id }) => id === pane.id)
    return marked.length > 0 ? marked : others
  }
  const chosen = chosenOr(selected === undefined ? [] : [selected])
  useBindings(KEYS, pane.kind, {
    list,
    move: list.move,
    mark: list.toggle,
    details: () => selected !== undefined && deciding.show({ kind: 'details', id: selected.id }),
    back: () => deciding.show({ kind: 'list' }),
    approve: () => void deciding.askToApprove(chosen),
    approveAll: () => void deciding.askToApprove(chosenOr(list.rows.filter(isPending))),
    reject: () => deciding.askToReject(chosen),
    remove: () => deciding.askToRemove(selected),
    nextTab: (by) => onTab(TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length] ?? 'pending'),
  })
}

/** Returns the line to type in, if there is one. */
function promptOf(list: List<QueueRow>, deciding: Deciding) {
  const { pane } = deciding
  if (list.isFiltering) return <FilterLine list={list} />
  if (pane.kind !== 'reason') return undefined
  const reject = (reason: string) => {
    if (deciding.reject(pane, reason)) list.unmark()
  }
  return <Reason pane={pane} onSubmit={reject} onCancel={() => deciding.show({ kind: 'list' })} />
}

interface MainProps extends Area {
  approvals: Approvals
  list: List<QueueRow>
  deciding: Deciding
}

/** The list, or what covers it. */
function Main({ approvals, list, deciding, ...area }: MainProps) {
  const { pane } = deciding
  const onCancel = () => deciding.show({ kind: 'list' })
  if (pane.kind === 'confirm') {
    const rows = approvals.rows.filter((row) => pane.ids.includes(row.id) && isPending(row))
    const onConfirm = () => {
      deciding.approve(pane, approvals.rows)
      if (pane.account !== undefined) list.unmark()
    }
    const question = approveQuestion(rows, pane)
    return <Question {...{ ...area, question, onConfirm, onCancel }} />
  }
  if (pane.kind === 'remove') {
    const question = removeQuestion(pane.row)
    return <Question {...{ ...area, question, onCancel }} onConfirm={() => deciding.remove(pane)} />
  }
  if (pane.kind === 'details') {
    const row = approvals.rows.find(({ id }) => id === pane.id)
    if (row === undefined) return <Notice {...area} text={`Approval ${pane.id} is no longer in this list.`} />
    return <Details {...area} row={row} />
  }
  return <QueueTable {...{ ...area, list, live: approvals }} />
}

function Details({ row, ...area }: Area & { row: QueueRow }) {
  const now = useNow(1000)
  const quotes = useQuotes([symbolOf(row)], 'ltp')
  const feed = useDaemon().part(PlanFeed)
  useEffect(() => feed.choose(row.id), [feed, row.id])
  const { content: plan } = useFeed(feed)
  const isPlanned = plan?.id === row.id && isPending(row)
  const record = { ...screenRow(row, quotes, now), ...(isPlanned && legFields(plan)) }
  // What would be sent matters most: it comes first.
  const fields = [...DETAILS.slice(0, 3), ...(isPlanned ? legColumns(plan) : []), ...DETAILS.slice(3)]
  return <Fields {...{ ...area, now, record, fields }} />
}

const DETAILS: readonly Column[] = [
  { key: 'outcome', title: 'STATE' },
  { key: 'last_price', title: 'LAST PRICE', kind: 'money' },
  { key: 'drift', title: 'DRIFT %', kind: 'signed' },
  ...APPROVAL_FIELDS,
]

function keysOf(pane: Pane): { keys?: readonly KeyHelp[] } {
  if (pane.kind === 'remove') return { keys: keysOfQuestion({ title: '', lines: [] }) }
  if (pane.kind === 'confirm') return { keys: CONFIRM }
  return pane.kind === 'reason' ? { keys: REASON } : {}
}

const CONFIRM = [
  { keys: 'y', does: 'approve' },
  { keys: 'n', does: 'cancel' },
]
const REASON = [
  { keys: 'enter', does: 'reject' },
  { keys: 'esc', does: 'cancel' },
]

/** Returns the whole state of the selected order, which the table may have cut. */
function noteOf({ id, symbol, outcome }: QueueRow): string {
  return `${id} ${symbol}: ${outcome}`
}
