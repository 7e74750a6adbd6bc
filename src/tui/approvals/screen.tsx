import { useMemo } from 'react'
import { type List, listText } from '../components/list/use-list.js'
import type { Live } from '../live/feed.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import { AGE_FIRST, type FirstLine } from '../screen/first-line.js'
import { LIST_KEYS, listView } from '../screen/list-view.js'
import type { ViewKey } from '../screen/record.js'
import type { Target } from '../screen/screen.js'
import { screenOf } from '../screen/screen-of.js'
import { ApprovalDetails } from './ApprovalDetails.js'
import { ApprovalFeed, type Decided, DecidedFeed } from './feed.js'
import { QueueTable, SORTED } from './QueueTable.js'
import { decisionCover, type QueueActs, type QueueShown } from './questions.js'
import { countAndValue, type Queue } from './queue.js'
import { isUndecided, isUnsettled, type QueueRow, useQueueRows } from './rows.js'
import { useUnread } from './unread.js'
import { isPending, useDeciding } from './use-deciding.js'

const TABS = ['pending', 'approved', 'rejected'] as const

type QueueKey = ViewKey<Omit<QueueShown, 'feed' | 'content' | 'live'>>

/** The last line has no room for the keys that every list has. */
const unnamed = ({ does: _, ...key }: QueueKey): QueueKey => key

/** The keys of the list and the details, in the order in which the last line names them. */
const QUEUE_KEYS: readonly QueueKey[] = [
  ...LIST_KEYS.map(unnamed),
  {
    id: 'approvals.details',
    keys: ['enter'],
    does: 'details',
    explained: 'show all fields and the raw order',
    command: 'svc approval show <id>',
    act: ({ opened }) => opened.open(),
  },
  {
    id: 'approvals.approve',
    in: ['list', 'details'],
    keys: ['a'],
    does: 'approve',
    explained: 'approve the order or the marked ones',
    command: 'svc approval approve <id>',
    act: approveChosen,
  },
  {
    id: 'approvals.reject',
    in: ['list', 'details'],
    keys: ['r'],
    does: 'reject',
    explained: 'reject the order or the marked ones, with a reason',
    command: 'svc approval reject <id>',
    act: (shown) => shown.own.deciding.askToReject(chosen(shown)),
  },
  {
    id: 'approvals.mark',
    keys: ['space'],
    does: 'mark',
    explained: 'mark the order, or remove its mark',
    act: ({ list }) => list.toggle(),
  },
  {
    id: 'approvals.approve-all',
    keys: ['A'],
    does: 'approve all',
    explained: 'approve the marked orders, or by a rule',
    command: 'svc approval approve --strategy S',
    act: approveAll,
  },
  {
    id: 'approvals.undo',
    in: ['list', 'details', 'results'],
    keys: ['u'],
    explained: 'undo the last decision, as long as it is not sent',
    act: ({ own, list }) => {
      const id = own.deciding.undo()
      if (id !== undefined) list.choose(id)
    },
  },
  {
    id: 'approvals.delete',
    keys: ['d'],
    explained: 'delete a decided order from the queue',
    command: 'svc approval delete <id>',
    act: ({ own, list }) => own.deciding.askToRemove(list.selected),
  },
  {
    id: 'approvals.next-tab',
    keys: ['tab'],
    does: 'next',
    explained: 'pending, approved, rejected',
    command: 'svc approval list --status approved',
    act: turn(1),
  },
  { id: 'approvals.previous-tab', keys: ['shift-tab'], act: turn(-1) },
  {
    id: 'approvals.back',
    in: ['details'],
    keys: ['esc', 'q', 'enter'],
    does: 'back',
    explained: 'back to the list',
    act: ({ opened }) => opened.close(),
  },
  {
    id: 'approvals.back-from-results',
    in: ['results'],
    keys: ['esc', 'q', 'enter'],
    does: 'back',
    explained: 'back to the list',
    act: ({ own }) => own.deciding.show({ kind: 'list' }),
  },
]

/** Shows another tab. What was said of the last decision gives way to the outcomes that the rows have. */
function turn(by: number) {
  return ({ daemon, views }: Pick<QueueShown, 'daemon' | 'views'>): void => {
    daemon.changes.say('')
    views.move(by)
  }
}

/** Approves the order that the user looks at. About marked ones it always asks: they may be out of sight. */
function approveChosen(shown: Pick<QueueShown, 'rows' | 'list' | 'opened' | 'own' | 'daemon'>): void {
  const { deciding, unread } = shown.own
  const rows = chosen(shown)
  if (!shown.opened.isOpen && shown.list.marked.size > 0) return void deciding.askToApprove(rows)
  const early = rows.find(({ id }) => unread.isTooEarly(id))
  if (early === undefined) return void deciding.approveOrAsk(rows)
  shown.daemon.changes.say(`Ignored: approval ${early.id} came under the cursor only now. Look at it first.`)
}

/** Asks about the marked orders; without marks, for the rule of which orders to approve. */
function approveAll(shown: Pick<QueueShown, 'rows' | 'list' | 'opened' | 'own' | 'daemon'>): void {
  const { deciding } = shown.own
  const marked = chosen(shown, () => [])
  if (marked.length > 0) return void deciding.askToApprove(marked)
  if (shown.rows.some(isUndecided)) {
    shown.daemon.changes.say('')
    deciding.show({ kind: 'rule' })
  } else shown.daemon.changes.say('No order waits for approval.')
}

/** Returns the orders that a key acts on: what the user looks at, or has marked, hidden by a filter or not. */
function chosen(
  { rows, list, opened }: Pick<QueueShown, 'rows' | 'list' | 'opened'>,
  others = () => (list.selected === undefined ? [] : [list.selected]),
): readonly QueueRow[] {
  if (opened.isOpen) return opened.row === undefined ? [] : [opened.row]
  const marked = rows.filter(({ id }) => list.marked.has(id))
  return marked.length > 0 ? marked : others()
}

/** The figures name what the filter leaves, before what waits. */
const FIRST_LINE: FirstLine = ({ stale, figures }) => AGE_FIRST({ stale, figures, filtered: '' })

/** What fills each tab. */
const EMPTY: Readonly<Record<string, string>> = {
  pending:
    'No order waits for approval. In semi-auto mode each order does: svc mode set semi_auto, or key 9 for the system.',
  approved: 'No order was approved yet. a approves one that is pending.',
  rejected: 'No order was rejected yet. r rejects one that is pending.',
}

/** The part of the record that every tab has. */
const QUEUE = {
  columns: SORTED,
  Rows: QueueTable,
  empty: {
    reading: 'Reading the queue …',
    none: ({ views }: Pick<QueueShown, 'views'>) => EMPTY[views.current] ?? '',
    filtered: (filter: string) => `No order has "${filter}".`,
  },
  Details: ApprovalDetails,
  titleOf: ({ action, id, quantity, symbol }: QueueRow) => `${id}  ${action} ${quantity} ${symbol}`,
  firstLine: FIRST_LINE,
  summary: queueFigures,
  note: outcomeText,
  keys: QUEUE_KEYS,
  commonKeys: [],
  cover: decisionCover,
  asked: ({ id }: Target, { list }: Pick<QueueShown, 'list'>) => list.choose(Number(id)),
} as const

const decidedView = (name: 'approved' | 'rejected') =>
  listView({
    ...QUEUE,
    name,
    feed: DecidedFeed,
    useRows: ({ content }: Live<Decided>) => useQueueRows(content[name]),
    use: useQueue,
  })

/** The approval queue: its rows, the details of one, and the questions before a decision. */
export const approvals = screenOf({
  id: 'approvals',
  title: 'Approvals',
  short: 'Appr',
  opens: ['approval'],
  badge: ({ pendingApprovals }) => pendingApprovals,
  tabLine: 'never',
  views: [
    listView({
      ...QUEUE,
      name: 'pending',
      feed: ApprovalFeed,
      useRows: usePendingRows,
      use: useQueue,
    }),
    decidedView('approved'),
    decidedView('rejected'),
  ],
})

/** A hook: returns the orders that are still a matter of the queue. The others are under the tab of their decision. */
function usePendingRows({ content }: Live<Queue>): readonly QueueRow[] {
  const rows = useQueueRows(content.rows)
  return useMemo(() => rows.filter(isUnsettled), [rows])
}

/** Returns the decisions on the queue, and its figures. Every tab reads the whole queue: a turn shows the other at once. */
function useQueue({
  rows,
  list,
  opened,
  views,
}: Pick<QueueShown, 'rows' | 'list' | 'opened' | 'views'>): QueueActs {
  const daemon = useDaemon()
  const { statistics } = useFeed(daemon.part(ApprovalFeed)).content
  useFeed(daemon.part(DecidedFeed))
  // A queue of thousands is counted once, not at each key.
  const waiting = useMemo(() => waitingText(rows), [rows])
  const unread = useUnread(rows, opened.row)
  /** The cursor goes on to the next order that waits, and so do open details: nobody looks for it. */
  const onDecided = (ids: readonly number[]) => {
    const next = nextUndecided(list, new Set(ids))
    if (next !== undefined) list.choose(next.id)
    if (opened.isOpen) views.show(views.current, next?.id)
    return next?.id
  }
  return { deciding: useDeciding({ onAsk: opened.close, onDecided }), statistics, waiting, unread }
}

/** Returns the order that waits below the selected one, otherwise the nearest above it. */
export function nextUndecided(
  { rows, selected }: Pick<List<QueueRow>, 'rows' | 'selected'>,
  decided: ReadonlySet<number>,
): QueueRow | undefined {
  const at = rows.findIndex(({ id }) => id === selected?.id)
  const around = [...rows.slice(at + 1), ...rows.slice(0, Math.max(0, at)).reverse()]
  return around.find((row) => isUndecided(row) && !decided.has(row.id))
}

/** Returns how many orders wait, and their value. */
export function waitingText(rows: readonly QueueRow[]): string {
  const waiting = rows.filter(isPending)
  return waiting.length === 0 ? 'no order waits' : `${countAndValue(waiting)} waiting`
}

/** Returns the tabs with their counts, what the filter leaves, and the value that waits. */
function queueFigures({ views, list, own }: Pick<QueueShown, 'views' | 'list' | 'own'>): string {
  const tabs = TABS.map((one) => {
    const count = own.statistics[`total_${one}`]
    const text = count === undefined ? one : `${one} ${count}`
    return one === views.current ? `[${text}]` : ` ${text} `
  }).join(' ')
  const waiting = views.current === 'pending' ? own.waiting : ''
  const marks = list.marked.size === 0 ? '' : `${list.marked.size} marked`
  return [tabs, listText(list), marks, waiting].filter((part) => part !== '').join('  ')
}

/** Returns the whole state of the shown order, which the table may have cut. */
function outcomeText({ row }: Pick<QueueShown, 'row'>): string {
  return row === undefined || row.outcome === 'pending' ? '' : `${row.id} ${row.symbol}: ${row.outcome}`
}
