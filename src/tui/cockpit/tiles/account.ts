import { useMemo } from 'react'
import { riskRows } from '../../../views/system/risk.js'
import type { Column } from '../../../views/table/column.js'
import type { PanelLine } from '../../components/Panel.js'
import { useDaemon, useFeed } from '../../live/use-daemon.js'
import { FundFeed, type PnlDay, PnlFeed, PositionFeed } from '../../positions/feeds.js'
import { usePositionRows } from '../../positions/live-rows.js'
import { NO_PNL, pnlChart } from '../../positions/PnlCharts.js'
import { amount, pnlFigures } from '../../positions/pnl-text.js'
import { positions } from '../../positions/screen.js'
import { type Risk, RiskFeed } from '../../system/risk-feed.js'
import { system } from '../../system/screen.js'
import { signedTone } from '../../terminal/theme.js'
import { exposureOf } from '../exposure.js'
import type { Tile, TileContent } from '../tile.js'

/** The profit and loss of the day, with its chart. */
export const pnl: Tile = {
  id: 'pnl',
  title: 'P&L ₹',
  screen: positions,
  view: 'p&l',
  command: 'svc pnl show',
  span: 2,
  use: usePnl,
}

function usePnl(): TileContent {
  const daemon = useDaemon()
  const book = useFeed(daemon.part(PositionFeed))
  const day = useFeed(daemon.part(PnlFeed))
  const rows = usePositionRows(book)
  const chart = useMemo(() => ({ ...pnlChart(day.content), title: CHART_TITLE }), [day.content])
  const figures = pnlFigures(book.readAt > 0 ? rows : undefined, day.content)
  const isEmpty = day.content?.pnl_series.length === 0
  return {
    live: [book, day],
    lines: [
      ...figures.map(({ name, value }) => signedLine(name, value)),
      ...(isEmpty ? [{ text: NO_PNL }] : extremes(day.content)),
    ],
    chart,
  }
}

const CHART_TITLE = 'Since the first trade'

/** Returns the highest and the lowest profit of the day. */
function extremes(day: PnlDay | undefined): readonly PanelLine[] {
  return day === undefined ? [] : [signedLine('highest', day.max_mtm), signedLine('lowest', day.min_mtm)]
}

const signedLine = (label: string, value: number): PanelLine => ({
  label,
  value: amount(value, 'signed'),
  tone: signedTone(value),
})

/** What the open positions are worth. */
export const exposure: Tile = {
  id: 'exposure',
  title: 'Exposure ₹',
  screen: positions,
  view: 'positions',
  command: 'svc position list',
  use: useExposure,
}

const HELD: readonly Column[] = [
  { key: 'symbol' },
  { key: 'side', leaves: 1 },
  { key: 'value', kind: 'signed' },
]

function useExposure(): TileContent {
  const book = useFeed(useDaemon().part(PositionFeed))
  const rows = usePositionRows(book)
  const { held, long, short, unknown } = useMemo(() => exposureOf(rows), [rows])
  if (held.length === 0 && unknown === 0) {
    return { live: [book], lines: [{ text: 'No open position. Key 2, then n, places an order.' }] }
  }
  return {
    live: [book],
    lines: [
      { label: 'gross', value: amount(long - short, 'money') },
      signedLine('long', long),
      signedLine('short', short),
      signedLine('net', long + short),
      ...(unknown === 0 ? [] : [{ text: `and ${unknown} of unknown value`, tone: 'warning' as const }]),
    ],
    list: { rows: held, columns: HELD },
  }
}

/** The money that is free, and what the positions hold. */
export const margin: Tile = {
  id: 'margin',
  title: 'Margin ₹',
  screen: positions,
  view: 'funds',
  command: 'svc fund list',
  use: useMargin,
}

function useMargin(): TileContent {
  const funds = useFeed(useDaemon().part(FundFeed))
  const { content } = funds
  if (content === undefined) return { live: [funds], lines: [] }
  const { availablecash: available, collateral, utiliseddebits: used } = content
  const total = available + used
  return {
    live: [funds],
    lines: [
      { label: 'available', value: amount(available, 'money'), tone: available < 0 ? 'danger' : undefined },
      { label: 'used', value: amount(used, 'money') },
      ...(total > 0 ? [{ label: 'used %', value: amount((used / total) * 100, 'money') }] : []),
      { label: 'collateral', value: amount(collateral, 'money') },
    ],
  }
}

/** What may still be lost today, and the kill switch. */
export const risk: Tile = {
  id: 'risk',
  title: 'Risk',
  screen: system,
  view: 'risk',
  command: 'svc risk show',
  use: useRisk,
}

const RULES: readonly Column[] = [{ key: 'id' }, { key: 'value', kind: 'limit' }]
const DAY_LOSS = 'max_day_loss'

function useRisk(): TileContent {
  const daemon = useDaemon()
  const rules = useFeed(daemon.part(RiskFeed))
  const day = useFeed(daemon.part(PnlFeed))
  const { content: status } = useFeed(daemon.status)
  const { content } = rules
  const others = useMemo(() => (content === undefined ? [] : rulesInForce(content)), [content])
  if (content === undefined) return { live: [rules], lines: [] }
  const killSwitch = status?.killSwitch ?? content.kill_switch.on
  const limit = content.rules[DAY_LOSS]
  return {
    // Without a limit the profit of the day says nothing here.
    live: typeof limit === 'number' ? [rules, day] : [rules],
    lines: [
      ...(killSwitch ? [KILLED] : []),
      ...(typeof limit === 'number' ? dayLossLines(limit, day.content?.current_mtm) : [NO_LIMIT]),
      ...(killSwitch ? [] : [{ label: 'kill switch', value: 'off' }]),
    ],
    list: { rows: others, columns: RULES },
  }
}

const KILLED: PanelLine = { text: 'KILL SWITCH ON: no new order is sent.', tone: 'danger' }
const NO_LIMIT: PanelLine = { text: 'The loss of a day has no limit. svc risk set max_day_loss=10000' }
const REACHED: PanelLine = {
  text: 'This P&L is at the day-loss limit: new orders may be refused.',
  tone: 'danger',
}

/**
 * Returns what may still be lost today by the P&L of the minute. The risk gate decides by that of the broker's positions, which
 * may differ, so the lines do not say what it does.
 * @param day the profit of the day in rupees; undefined while it is not known
 */
export function dayLossLines(limit: number, day: number | undefined): readonly PanelLine[] {
  const left = day === undefined ? undefined : limit + day
  return [
    ...(left !== undefined && left <= 0 ? [REACHED] : []),
    { label: 'day-loss left', value: left === undefined ? '-' : amount(Math.max(0, left), 'money') },
    { label: 'limit', value: amount(limit, 'money') },
  ]
}

/** Returns the other rules that are on, as `svc risk show` lists them. */
function rulesInForce(now: Risk) {
  const [, ...rules] = riskRows(now)
  return rules
    .filter(({ rule, value }) => rule !== DAY_LOSS && value !== 'off' && value !== false)
    .map(({ rule, value }) => ({ id: rule, value }))
}
