import { Box } from 'ink'
import type { ReactNode } from 'react'
import { FUND_FIELDS, HOLDING_COLUMNS, POSITION_COLUMNS } from '../../views/orders/books.js'
import type { Column } from '../../views/table/column.js'
import { Fields } from '../components/Fields.js'
import { type List, listText, type Opened, ROW_GONE, useOpened } from '../components/list/use-list.js'
import { Notice } from '../components/Notice.js'
import { TabLine, tabAfter } from '../components/TabLine.js'
import type { Live } from '../live/feed.js'
import { Kept, useKept } from '../live/kept.js'
import { useDaemon, useFeed, useStaleText } from '../live/use-daemon.js'
import { Book } from '../orders/OrderBook.js'
import { DoubtLines, Doubts, useDoubts } from '../question/Doubts.js'
import { ScreenFrame } from '../screen/ScreenFrame.js'
import type { Screen, ScreenProps } from '../screen/screen.js'
import type { Area } from '../terminal/size.js'
import { useNow } from '../terminal/use-now.js'
import { type Closing, useClosing } from './close-reviews.js'
import { FundFeed, type HoldingRow, PnlFeed, type PositionRow } from './feeds.js'
import { POSITION_KEYS, TABS, type Tab } from './keys.js'
import { useHoldings, usePositions } from './live-rows.js'
import { PnlCharts } from './PnlCharts.js'
import { daySummary, fundSummary, holdingSummary, positionSummary } from './summary.js'

const TAB = new Kept<Tab>('positions')

/** The positions with their profit, the holdings, the funds and the charts of the day. */
export const positions: Screen = {
  id: 'positions',
  title: 'Positions',
  short: 'Pos',
  keys: POSITION_KEYS,
  View: PositionScreen,
}

function PositionScreen({ width, height }: ScreenProps) {
  const [tab, onTab] = useKept(TAB)
  const Shown = SHOWN[tab]
  return <Shown width={width} height={height} tab={tab} onTab={onTab} closing={useClosing()} />
}

interface TabProps extends Area {
  tab: Tab
  closing: Closing
  onTab(tab: Tab): void
}

function Positions(props: TabProps) {
  const { live, rows, list } = usePositions()
  const day = useFeed(useDaemon().part(PnlFeed))
  const opened = useOpened(rows, list.selected)
  return (
    <Frame
      {...props}
      live={live}
      list={list}
      opened={opened}
      fields={POSITION_COLUMNS}
      position={opened.row}
      summary={positionSummary(rows, day.content)}
    >
      {(area) => {
        // The charts take what the rows leave, and at least half.
        const top = Math.min(Math.max(2, rows.length + 1), Math.floor(area.height / 2))
        return (
          <Box flexDirection="column" height={area.height}>
            <Book
              width={area.width}
              height={top}
              list={list}
              live={live}
              columns={POSITION_COLUMNS}
              empty="No positions."
            />
            <PnlCharts width={area.width} height={area.height - top} day={day} isWide />
          </Box>
        )
      }}
    </Frame>
  )
}

function Holdings(props: TabProps) {
  const { live, rows, list } = useHoldings()
  const opened = useOpened(rows, list.selected)
  return (
    <Frame
      {...props}
      live={live}
      list={list}
      opened={opened}
      fields={HOLDING_COLUMNS}
      summary={holdingSummary(rows)}
    >
      {(area) => <Book {...area} list={list} live={live} columns={HOLDING_COLUMNS} empty="No holdings." />}
    </Frame>
  )
}

function Funds(props: TabProps) {
  const live = useFeed(useDaemon().part(FundFeed))
  const { content, problem } = live
  return (
    <Frame {...props} live={live} summary={fundSummary(content)}>
      {(area) =>
        content === undefined ? (
          <Notice {...area} text={problem === undefined ? 'Reading …' : `Not read: ${problem}`} />
        ) : (
          <Fields {...area} record={content} fields={FUND_FIELDS} now={0} />
        )
      }
    </Frame>
  )
}

function Pnl(props: TabProps) {
  const day = useFeed(useDaemon().part(PnlFeed))
  return (
    <Frame {...props} live={day} summary={daySummary(day.content)}>
      {(area) => <PnlCharts {...area} day={day} isWide={false} />}
    </Frame>
  )
}

const SHOWN = { positions: Positions, holdings: Holdings, funds: Funds, 'p&l': Pnl } as const

interface FrameProps<Row extends PositionRow | HoldingRow> extends TabProps {
  summary: string
  /** The content of the tab, for its age. */
  live: Live<unknown>
  list?: List<Row>
  /** The row whose details are open, and its fields. */
  opened?: Opened<Row>
  fields?: readonly Column[]
  /** The position that keys act on. */
  position?: PositionRow | undefined
  children(area: Area): ReactNode
}

/** The frame of a tab: the requests in doubt, the tabs, the content or what covers it. */
function Frame<Row extends PositionRow | HoldingRow>(props: FrameProps<Row>) {
  const {
    width,
    height,
    tab,
    closing,
    summary,
    live,
    list,
    opened,
    fields = [],
    position,
    children,
    onTab,
  } = props
  const daemon = useDaemon()
  const { doubts, lines } = useDoubts()
  const note = useStaleText(live, useNow(1000))
  const filtered = list === undefined ? '' : listText(list)
  return (
    <ScreenFrame
      width={width}
      height={height}
      keys={POSITION_KEYS}
      pane={!opened?.isOpen ? tab : tab === 'positions' ? 'details' : 'holding'}
      state={{
        list,
        move: (by) => list?.move(by),
        opened,
        position,
        closing,
        turn: (by) => onTab(tabAfter(TABS, tab, by)),
        doubts: daemon.part(Doubts),
      }}
      list={list}
      question={closing.reviewing}
      summary={filtered === '' ? summary : `${summary}, ${filtered}`}
      note={note}
    >
      {(area) =>
        opened?.isOpen ? (
          <RowDetails {...area} record={opened.row} fields={fields} />
        ) : (
          <Box flexDirection="column" height={area.height}>
            <DoubtLines doubts={doubts} width={width} />
            <TabLine tabs={TABS} current={tab} width={width} />
            {children({ width, height: area.height - lines - 1 })}
          </Box>
        )
      }
    </ScreenFrame>
  )
}

interface RowDetailsProps extends Area {
  record: object | undefined
  fields: readonly Column[]
}

function RowDetails({ record, fields, ...area }: RowDetailsProps) {
  if (record === undefined) return <Notice {...area} text={ROW_GONE} />
  return <Fields {...area} record={record} fields={fields} now={0} />
}
