import type { FundRecord } from '../../client/answers/records.js'
import { FUND_FIELDS, HOLDING_COLUMNS, POSITION_COLUMNS } from '../../views/orders/books.js'
import { countText } from '../../views/text/count.js'
import type { Opened } from '../components/list/use-list.js'
import { useDaemon, useFeed } from '../live/use-daemon.js'
import { Doubts, FORGET_DOUBTS } from '../question/Doubts.js'
import { drawnView, fieldsView } from '../screen/fields-view.js'
import { WITHOUT_AGE } from '../screen/first-line.js'
import { LIST_KEYS, listView } from '../screen/list-view.js'
import type { Shown, ViewKey } from '../screen/record.js'
import { screenOf } from '../screen/screen-of.js'
import { askToCloseAll } from './close-reviews.js'
import {
  FundFeed,
  HoldingFeed,
  type HoldingRow,
  type PnlDay,
  PnlFeed,
  PositionFeed,
  type PositionRow,
} from './feeds.js'
import { POSITION_KEYS } from './keys.js'
import { sumOf, useHoldingRows, usePositionRows } from './live-rows.js'
import { PnlCharts, pnlLines } from './PnlCharts.js'
import { PositionDetails } from './PositionDetails.js'
import { amount, pnlText } from './pnl-text.js'

const CLOSE_ALL: ViewKey<Shown> = {
  id: 'positions.close-all',
  keys: ['C'],
  does: 'close all',
  explained: 'close every position: asks for a word',
  command: 'svc position close-all',
  act: (shown) => void askToCloseAll(shown),
}

const TURN: readonly ViewKey<Shown>[] = [
  {
    id: 'positions.next-tab',
    keys: ['tab'],
    does: 'next',
    explained: 'positions, holdings, funds, profit and loss',
    command: 'svc pnl show',
    act: ({ views }) => views.move(1),
  },
  { id: 'positions.previous-tab', keys: ['shift-tab'], act: ({ views }) => views.move(-1) },
]

const DETAILS: ViewKey<{ opened: Opened<unknown> }> = {
  id: 'positions.details',
  keys: ['enter'],
  does: 'details',
  explained: 'every field',
  command: 'svc position list',
  act: ({ opened }) => opened.open(),
}

const BACK: ViewKey<{ opened: Opened<unknown> }> = {
  id: 'positions.back',
  in: ['details'],
  keys: ['esc', 'q', 'enter'],
  does: 'back',
  explained: 'back to the list',
  act: ({ opened }) => opened.close(),
}

const FORGET: ViewKey<Shown> = { ...FORGET_DOUBTS, id: 'positions.forget' }

/** The part of the record that every tab has. */
const TAB = {
  firstLine: WITHOUT_AGE,
  note: ({ stale }: Pick<Shown, 'stale'>) => stale,
  commonKeys: [],
  prepare: Doubts.watchedBy,
} as const

/** The positions with their profit, the holdings, the funds and the charts of the day. */
export const positions = screenOf({
  id: 'positions',
  title: 'Positions',
  short: 'Pos',
  opens: ['position'],
  tabLine: 'over-content',
  hasDoubts: true,
  views: [
    listView({
      ...TAB,
      name: 'positions',
      feed: PositionFeed,
      useRows: usePositionRows,
      titleOf: ({ exchange, product, symbol }) => `${symbol} ${exchange} ${product}`,
      use: () => ({ day: useFeed(useDaemon().part(PnlFeed)) }),
      asked: ({ id }, { views }) => views.show('positions', id),
      columns: POSITION_COLUMNS,
      Details: PositionDetails,
      empty: { none: 'No positions. An order that fills opens one: key 2 shows the orders, n places one.' },
      summary: ({ rows, own }) => positionSummary(rows, own.day.content),
      below({ rows, own }, { width, height }) {
        // The charts take what the rows leave, and at least half, if they show anything.
        const room = height - Math.min(Math.max(2, rows.length + 1), Math.floor(height / 2))
        const lines = pnlLines(own.day.content, room)
        return { lines, node: <PnlCharts width={width} height={lines} day={own.day} isWide /> }
      },
      keys: [...POSITION_KEYS, DETAILS, ...TURN, CLOSE_ALL, ...LIST_KEYS, FORGET, BACK],
    }),
    listView({
      ...TAB,
      name: 'holdings',
      feed: HoldingFeed,
      useRows: useHoldingRows,
      titleOf: ({ exchange, symbol }) => `${symbol} ${exchange}`,
      columns: HOLDING_COLUMNS,
      empty: { none: 'No holdings. Shares bought with product CNC are here when they are delivered.' },
      summary: ({ rows }) => holdingSummary(rows),
      keys: [CLOSE_ALL, DETAILS, ...TURN, ...LIST_KEYS, FORGET, BACK],
    }),
    fieldsView({
      ...TAB,
      name: 'funds',
      feed: FundFeed,
      record: ({ content }) => ({ record: content ?? {}, fields: FUND_FIELDS }),
      reading: 'Reading …',
      summary: ({ content }) => fundSummary(content),
      keys: [CLOSE_ALL, ...TURN, FORGET],
    }),
    drawnView({
      ...TAB,
      name: 'p&l',
      feed: PnlFeed,
      use: () => ({ positions: usePositionRows(useFeed(useDaemon().part(PositionFeed))) }),
      Draw: ({ shown, ...area }) => <PnlCharts {...area} day={shown.live} isWide={false} />,
      summary: ({ content, own }) => daySummary(own.positions, content),
      keys: [CLOSE_ALL, ...TURN, FORGET],
    }),
  ],
})

/** Returns the totals of the positions, and of the day. */
function positionSummary(rows: readonly PositionRow[], day: PnlDay | undefined): string {
  const open = rows.filter(({ quantity }) => quantity !== 0).length
  return `${countText(open, 'open position')}, ${pnlText(rows, day)}`
}

/** Returns the totals of the holdings. */
function holdingSummary(rows: readonly HoldingRow[]): string {
  const value = sumOf(rows, ({ current_value }) => current_value)
  const pnl = sumOf(rows, (row) => row.pnl)
  return `${countText(rows.length, 'holding')}, value ${amount(value, 'money')}, P&L ${amount(pnl, 'signed')}`
}

function fundSummary(funds: FundRecord | undefined): string {
  return funds === undefined ? 'funds' : `available ${amount(funds.availablecash, 'money')}`
}

/** Returns the same with the highest and the lowest of the day and their times. */
function daySummary(rows: readonly PositionRow[], day: PnlDay | undefined): string {
  if (day === undefined || day.pnl_series.length === 0) return pnlText(rows, day)
  const { max_mtm, max_mtm_time, min_mtm, min_mtm_time } = day
  return [
    pnlText(rows, day),
    `highest ${amount(max_mtm, 'signed')} at ${max_mtm_time ?? '-'}`,
    `lowest ${amount(min_mtm, 'signed')} at ${min_mtm_time ?? '-'}`,
  ].join(', ')
}
