import { Box, Text } from 'ink'
import { COLUMNS, FIELDS, TRADE } from '../../cli/commands/approval/row.js'
import { visible } from '../../cli/output/tables/cells.js'
import type { Column } from '../../cli/output/tables/column.js'
import { Fields } from '../components/Fields.js'
import { KeyLine } from '../components/KeyLine.js'
import { Table } from '../components/Table.js'
import { TextField } from '../components/TextField.js'
import { type Cursor, useCursor } from '../components/use-cursor.js'
import { cut } from '../screen/fit.js'
import type { Size } from '../screen/size.js'
import { Confirm } from './Confirm.js'
import type { Decisions } from './decisions.js'
import type { ApprovalFeed } from './feed.js'
import { Header } from './Header.js'
import { keysOf, useKeys } from './keys.js'
import type { ScreenRow } from './row-state.js'
import { type Approvals, useApprovals } from './use-approvals.js'
import { type Deciding, isPending, useDeciding } from './use-deciding.js'

interface ApprovalScreenProps {
  feed: ApprovalFeed
  decisions: Decisions
  size: Size
  onQuit(): void
}

/** The approval queue: its rows, the details of one, and the questions before a decision. */
export function ApprovalScreen({ feed, decisions, size, onQuit }: ApprovalScreenProps) {
  const approvals = useApprovals(feed, decisions)
  const cursor = useCursor(approvals.rows)
  const deciding = useDeciding(feed, decisions)
  const marked = approvals.rows.filter(({ id }) => cursor.marked.has(id))
  const chosen = cursor.selected === undefined ? [] : [cursor.selected]
  useKeys(deciding.pane, {
    move(by) {
      deciding.clearMessage()
      cursor.move(by)
    },
    mark: cursor.toggle,
    details: () => cursor.selected !== undefined && deciding.show({ kind: 'details' }),
    back: () => deciding.show({ kind: 'list' }),
    approve: () => void deciding.askToApprove(chosen),
    approveAll: () =>
      void deciding.askToApprove(marked.length > 0 ? marked : approvals.rows.filter(isPending)),
    reject: () => deciding.askToReject(marked.length > 0 ? marked : chosen),
    quit: onQuit,
  })
  const parts = { approvals, cursor, deciding, width: size.columns, height: size.rows - OTHER_LINES }
  return (
    <Box flexDirection="column" width={size.columns} height={size.rows}>
      <Header approvals={approvals} width={size.columns} />
      <Main {...parts} />
      <Prompt {...parts} />
      <KeyLine keys={keysOf(deciding.pane)} width={size.columns} />
    </Box>
  )
}

/** The header, the line of messages and the line of keys. */
const OTHER_LINES = 3

interface Parts {
  approvals: Approvals
  cursor: Cursor<ScreenRow>
  deciding: Deciding
  width: number
  height: number
}

/** The list, or what covers it. */
function Main({ approvals, cursor, deciding, width, height }: Parts) {
  const { pane } = deciding
  if (pane.kind === 'confirm') {
    const rows = approvals.rows.filter((row) => pane.ids.includes(row.id) && isPending(row))
    const confirm = async () => {
      if (await deciding.approve(pane, approvals.rows)) cursor.unmark()
    }
    const cancel = () => deciding.show({ kind: 'list' })
    return (
      <Confirm
        {...{ rows, width, height, account: pane.account }}
        onConfirm={() => void confirm()}
        onCancel={cancel}
      />
    )
  }
  if (pane.kind === 'details' && cursor.selected) {
    return <Fields {...{ width, height, now: approvals.now, record: cursor.selected, fields: DETAILS }} />
  }
  return <Queue {...{ width, height, approvals, cursor }} />
}

/** The line under the list: a reason to type, or a message. */
function Prompt({ cursor, deciding, width }: Parts) {
  const { pane, message } = deciding
  if (pane.kind !== 'reason') {
    return <Text>{cut(message || (cursor.selected ? selectedText(cursor.selected) : ''), width)}</Text>
  }
  const orders = pane.ids.length === 1 ? pane.ids[0] : `${pane.ids.length} orders`
  const submit = (reason: string) => {
    cursor.unmark()
    deciding.reject(pane, reason)
  }
  return (
    <TextField
      label={`Reason to reject ${orders}: `}
      onSubmit={submit}
      onCancel={() => deciding.show({ kind: 'list' })}
    />
  )
}

function Queue({ approvals, cursor, width, height }: Omit<Parts, 'deciding'>) {
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
