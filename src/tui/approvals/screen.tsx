import { useEffect, useMemo } from 'react'
import { APPROVAL_FIELDS } from '../../views/approvals/approval.js'
import { legColumns, legFields } from '../../views/approvals/plan.js'
import type { Column } from '../../views/table/column.js'
import { symbolKey } from '../../views/text/symbol.js'
import { Fields } from '../components/Fields.js'
import { TextField } from '../components/form/TextField.js'
import { keptList, type List, listText, useList } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import type { KeyHelp } from '../keys/KeyLine.js'
import { Kept, useKept } from '../live/kept.js'
import { useQuotes } from '../live/prices/quotes.js'
import { useDaemon, useFeed, useStaleText } from '../live/use-daemon.js'
import { Question, questionKeys } from '../question/Question.js'
import { ScreenFrame } from '../screen/ScreenFrame.js'
import { type Screen, type ScreenProps, useAsked } from '../screen/screen.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import { PlanFeed } from './feed.js'
import { QUEUE_KEYS, type QueueState } from './keys.js'
import { QueueTable, SORTED } from './QueueTable.js'
import { approveQuestion, removeQuestion } from './questions.js'
import { countAndValue } from './queue.js'
import { type Approvals, type QueueRow, screenRow, TABS, type Tab, useApprovals } from './rows.js'
import { type Deciding, isPending, type Pane, type ReasonPane, useDeciding } from './use-deciding.js'

const TAB = new Kept<Tab>('pending')
const LISTS = { pending: keptList(), approved: keptList(), rejected: keptList() }

/** The approval queue: its rows, the details of one, and the questions before a decision. */
export const approvals: Screen = {
  id: 'approvals',
  title: 'Approvals',
  keys: QUEUE_KEYS,
  opens: ['approval'],
  badge: ({ pendingApprovals }) => pendingApprovals,
  View: ApprovalScreen,
}

function ApprovalScreen(props: ScreenProps) {
  const [tab, setTab] = useKept(TAB)
  return <Orders key={tab} {...props} tab={tab} onTab={setTab} />
}

interface OrdersProps extends ScreenProps {
  tab: Tab
  onTab(tab: Tab): void
}

/** The orders of one tab. */
function Orders({ width, height, asked, tab, onTab }: OrdersProps) {
  const queue = useApprovals(tab)
  const list = useList(LISTS[tab], queue.rows, SORTED)
  const deciding = useDeciding(queue.decisions)
  const { pane } = deciding
  useAsked(asked, ({ id }) => list.choose(Number(id)))
  const shown = pane.kind === 'details' ? queue.rows.find(({ id }) => id === pane.id) : list.selected
  const note = shown === undefined || shown.outcome === 'pending' ? '' : outcomeText(shown)
  // A queue of thousands is counted once, not at each key.
  const waiting = useMemo(() => waitingText(queue.rows), [queue.rows])
  const figures = queueFigures(tab, queue.statistics, listText(list), waiting)
  const stale = useStaleText(queue, useNow(1000))
  return (
    <ScreenFrame
      width={width}
      height={height}
      keys={QUEUE_KEYS}
      pane={pane.kind}
      state={{ list, move: list.move, deciding, ...chosenIn(queue.rows, list, pane), tab, onTab }}
      list={list}
      named={paneKeys(pane)}
      note={note}
      summary={stale === '' ? figures : `${stale}  ${figures}`}
      prompt={pane.kind === 'reason' ? <Reason pane={pane} deciding={deciding} list={list} /> : undefined}
    >
      {(area) => <Main {...area} queue={queue} list={list} deciding={deciding} />}
    </ScreenFrame>
  )
}

/** Returns the orders that keys act on: what the user looks at, or has marked, hidden by a filter or not. */
function chosenIn(
  all: readonly QueueRow[],
  list: List<QueueRow>,
  pane: Pane,
): Pick<QueueState, 'chosen' | 'chosenOrAll'> {
  const shown = pane.kind === 'details' ? all.filter(({ id }) => id === pane.id) : undefined
  const marked = all.filter(({ id }) => list.marked.has(id))
  const chosenOr = (others: readonly QueueRow[]) => shown ?? (marked.length > 0 ? marked : others)
  return {
    chosen: chosenOr(list.selected === undefined ? [] : [list.selected]),
    chosenOrAll: () => chosenOr(list.rows.filter(isPending)),
  }
}

interface ReasonProps {
  pane: ReasonPane
  deciding: Deciding
  list: List<QueueRow>
}

/** The line that takes the reason to reject orders. */
function Reason({ pane, deciding, list }: ReasonProps) {
  const { ids, refusal } = pane
  const orders = ids.length === 1 ? ids[0] : `${ids.length} orders`
  const label = `Reason to reject ${orders}: `
  const reject = (reason: string) => {
    if (deciding.reject(pane, reason)) list.unmark()
  }
  return (
    <TextField
      label={refusal === undefined ? label : `Rejection ${refusal} ${label}`}
      onSubmit={reject}
      onCancel={() => deciding.show({ kind: 'list' })}
    />
  )
}

interface MainProps extends Area {
  queue: Approvals
  list: List<QueueRow>
  deciding: Deciding
}

/** The list, or what covers it. */
function Main({ queue, list, deciding, ...area }: MainProps) {
  const { pane } = deciding
  const onCancel = () => deciding.show({ kind: 'list' })
  if (pane.kind === 'confirm') {
    const rows = queue.rows.filter((row) => pane.ids.includes(row.id) && isPending(row))
    const onConfirm = () => {
      deciding.approve(pane, queue.rows)
      if (pane.account !== undefined) list.unmark()
    }
    const question = approveQuestion(rows, pane)
    return <Question {...area} question={question} onConfirm={onConfirm} onCancel={onCancel} />
  }
  if (pane.kind === 'remove') {
    const question = removeQuestion(pane.row)
    return (
      <Question {...area} question={question} onCancel={onCancel} onConfirm={() => deciding.remove(pane)} />
    )
  }
  if (pane.kind === 'details') {
    const row = queue.rows.find(({ id }) => id === pane.id)
    if (row === undefined) return <Notice {...area} text={`Approval ${pane.id} is no longer in this list.`} />
    return <Details {...area} row={row} />
  }
  return <QueueTable {...area} list={list} live={queue} />
}

function Details({ row, ...area }: Area & { row: QueueRow }) {
  const now = useNow(1000)
  const quotes = useQuotes([symbolKey(row)], 'ltp')
  const feed = useDaemon().part(PlanFeed)
  useEffect(() => feed.choose(row.id), [feed, row.id])
  const { content: plan } = useFeed(feed)
  const isPlanned = plan?.id === row.id && isPending(row)
  const record = { ...screenRow(row, quotes, now), ...(isPlanned && legFields(plan)) }
  // What would be sent matters most: it comes first.
  const fields = [...DETAILS.slice(0, 3), ...(isPlanned ? legColumns(plan) : []), ...DETAILS.slice(3)]
  return <Fields {...area} now={now} record={record} fields={fields} />
}

const DETAILS: readonly Column[] = [
  { key: 'outcome', title: 'STATE' },
  { key: 'last_price', title: 'LAST PRICE', kind: 'money' },
  { key: 'drift', title: 'DRIFT %', kind: 'signed' },
  ...APPROVAL_FIELDS,
]

/** Returns the keys of a question or of the line to type in; undefined for the list and the details. */
function paneKeys({ kind }: Pane): readonly KeyHelp[] | undefined {
  if (kind === 'remove') return questionKeys({ title: '', lines: [] })
  if (kind === 'confirm') return CONFIRM
  return kind === 'reason' ? REASON : undefined
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
function outcomeText({ id, symbol, outcome }: QueueRow): string {
  return `${id} ${symbol}: ${outcome}`
}

/** Returns the tabs with their counts, what the filter leaves, and the value that waits. */
function queueFigures(
  tab: Tab,
  statistics: Approvals['statistics'],
  filtered: string,
  waiting: string,
): string {
  const tabs = TABS.map((one) => {
    const count = statistics[`total_${one}`]
    const text = count === undefined ? one : `${one} ${count}`
    return one === tab ? `[${text}]` : ` ${text} `
  }).join(' ')
  return [tabs, filtered, tab === 'pending' ? waiting : ''].filter((part) => part !== '').join('  ')
}

/** Returns how many orders wait, and their value. */
function waitingText(rows: Approvals['rows']): string {
  const waiting = rows.filter(isPending)
  return waiting.length === 0 ? 'no order waits' : `${countAndValue(waiting)} waiting`
}
