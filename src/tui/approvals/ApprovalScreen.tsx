import { Box, Text } from 'ink'
import { useState } from 'react'
import { COLUMNS, FIELDS, TRADE } from '../../cli/commands/approval/row.js'
import { visible } from '../../cli/output/cells.js'
import type { Column } from '../../cli/output/column.js'
import { Fields } from '../components/Fields.js'
import { KeyLine } from '../components/KeyLine.js'
import { Table } from '../components/Table.js'
import { TextField } from '../components/TextField.js'
import { cut } from '../screen/fit.js'
import type { Size } from '../screen/size.js'
import { type Account, goesToSame } from './account.js'
import { Confirm } from './Confirm.js'
import type { Decisions } from './decisions.js'
import type { ApprovalFeed } from './feed.js'
import { Header } from './Header.js'
import { keysOf, useKeys } from './keys.js'
import { decisionOf, type ScreenRow } from './row-state.js'
import { useApprovals, useCursor } from './use-approvals.js'

interface ApprovalScreenProps {
  feed: ApprovalFeed
  decisions: Decisions
  size: Size
  onQuit(): void
}

/** What covers the list, or takes the keys instead of it. */
export type Pane =
  | { kind: 'list' }
  | { kind: 'details'; scroll: number }
  | { kind: 'confirm'; ids: readonly number[]; account: Account }
  | { kind: 'reason'; ids: readonly number[] }

/** The approval queue: its rows, the details of one, and the questions before a decision. */
export function ApprovalScreen({ feed, decisions, size, onQuit }: ApprovalScreenProps) {
  const approvals = useApprovals(feed, decisions)
  const cursor = useCursor(approvals.rows)
  const [pane, setPane] = useState<Pane>({ kind: 'list' })
  const [message, setMessage] = useState('')
  const { columns: width, rows } = size
  const height = rows - 3
  const pendingOf = (ids: readonly number[]) =>
    approvals.rows.filter((row) => ids.includes(row.id) && row.status === 'pending')

  /** Returns the ids that may be decided; says why when there are none. */
  const decidable = (wanted: readonly ScreenRow[]): readonly number[] => {
    const waiting = wanted.filter(({ status }) => status === 'pending')
    const [first] = wanted
    if (waiting.length === 0)
      setMessage(first === undefined ? 'No order waits for approval.' : noLonger(first))
    return waiting.map(({ id }) => id)
  }
  const askToApprove = async (wanted: readonly ScreenRow[]) => {
    const ids = decidable(wanted)
    if (ids.length === 0) return
    try {
      const account = await feed.accountNow()
      setMessage('')
      setPane({ kind: 'confirm', ids, account })
    } catch (thrown) {
      setMessage(`Not approved: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    }
  }
  const approve = async (ids: readonly number[], named: Account) => {
    setPane({ kind: 'list' })
    try {
      // The person confirmed these orders for this mode and this broker, and for no other.
      if (!goesToSame(await feed.accountNow(), named)) {
        setMessage('Not approved: the mode or the broker has changed. Look at the header and confirm again.')
        return
      }
      cursor.unmark()
      decisions.approve(ids)
    } catch (thrown) {
      setMessage(`Not approved: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    }
  }
  const marked = approvals.rows.filter(({ id }) => cursor.marked.has(id))
  const chosen = cursor.selected === undefined ? [] : [cursor.selected]
  useKeys(pane, {
    move(by) {
      setMessage('')
      if (pane.kind === 'details') setPane({ kind: 'details', scroll: Math.max(0, pane.scroll + by) })
      else cursor.move(by)
    },
    mark: cursor.toggle,
    details: () => cursor.selected !== undefined && setPane({ kind: 'details', scroll: 0 }),
    back: () => setPane({ kind: 'list' }),
    approve: () => void askToApprove(chosen),
    approveAll: () => void askToApprove(marked.length > 0 ? marked : approvals.rows.filter(isPending)),
    reject() {
      const ids = decidable(marked.length > 0 ? marked : chosen)
      if (ids.length > 0) setPane({ kind: 'reason', ids })
    },
    quit: onQuit,
  })
  return (
    <Box flexDirection="column" width={width} height={rows}>
      <Header approvals={approvals} width={width} />
      {pane.kind === 'confirm' ? (
        <Confirm
          {...{ width, height, account: pane.account, rows: pendingOf(pane.ids) }}
          onConfirm={() =>
            void approve(
              pendingOf(pane.ids).map(({ id }) => id),
              pane.account,
            )
          }
          onCancel={() => setPane({ kind: 'list' })}
        />
      ) : pane.kind === 'details' && cursor.selected ? (
        <Fields
          {...{
            width,
            height,
            scroll: pane.scroll,
            now: approvals.now,
            record: cursor.selected,
            fields: DETAILS,
          }}
        />
      ) : (
        <Queue {...{ width, height, approvals, cursor }} />
      )}
      {pane.kind === 'reason' ? (
        <TextField
          label={`Reason to reject ${pane.ids.length === 1 ? pane.ids[0] : `${pane.ids.length} orders`}: `}
          onSubmit={(reason) => {
            setPane({ kind: 'list' })
            cursor.unmark()
            decisions.reject(pane.ids, reason.trim())
          }}
          onCancel={() => setPane({ kind: 'list' })}
        />
      ) : (
        <Text>{cut(message || (cursor.selected ? selectedText(cursor.selected) : ''), width)}</Text>
      )}
      <KeyLine keys={keysOf(pane)} width={width} />
    </Box>
  )
}

function Queue(props: {
  approvals: ReturnType<typeof useApprovals>
  cursor: ReturnType<typeof useCursor<ScreenRow>>
  width: number
  height: number
}) {
  const { approvals, cursor, width, height } = props
  const { rows, now, readAt } = approvals
  if (rows.length === 0) {
    const text = readAt === 0 ? 'Reading the queue …' : 'No order waits for approval.'
    return (
      <Box height={height}>
        <Text>{text}</Text>
      </Box>
    )
  }
  const columns = rows.some(({ trade }) => trade !== undefined) ? [...LIST, TRADE, STATE] : [...LIST, STATE]
  return (
    <Table {...{ rows, columns, width, height, now, marked: cursor.marked, selected: cursor.selected?.id }} />
  )
}

const isPending = ({ status }: ScreenRow) => status === 'pending'
const STATE: Column = { key: 'state' }
/** The live price stands beside the order's own as long as there is room. */
const LEAVES: Readonly<Record<string, number>> = { age: 4, price_type: 5, last_price: 2, price: 1 }
/** The columns of `approval list`. The state says more than the status. */
const LIST: readonly Column[] = COLUMNS.filter(({ key }) => key !== 'status').map((column: Column) => {
  const leaves = LEAVES[column.key]
  return leaves === undefined ? column : { ...column, leaves }
})
const DETAILS: readonly Column[] = [{ key: 'outcome', title: 'STATE' }, ...FIELDS]

/** Returns the selected order with its whole state, which the table may have cut. */
function selectedText(row: ScreenRow): string {
  return row.outcome === 'pending' ? '' : visible(`${row.id} ${row.symbol}: ${row.outcome}`)
}

function noLonger(row: ScreenRow): string {
  return `Approval ${row.id} is no longer pending: ${visible(decisionOf(row) ?? row.outcome)}.`
}
