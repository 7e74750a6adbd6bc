import type { Column } from '../../views/table/column.js'
import type { RowId } from '../components/list/use-list.js'
import type { PanelLine } from '../components/Panel.js'
import type { Live } from '../live/feed.js'
import type { DayChart } from '../positions/PnlCharts.js'
import type { ScreenOfViews } from '../screen/screen-of.js'
import type { TileId } from './presets.js'

/** A part of the cockpit. Everything else of it stands here. */
export interface Tile {
  id: TileId
  title: string
  /** The screen that shows more, and its view. */
  screen: ScreenOfViews
  view?: string
  /** The command that shows the same. */
  command: string
  /** The number of columns that it takes, where there are so many. */
  span?: number
  /** A hook: returns what the tile shows now. */
  use(): TileContent
}

/** What a tile shows. */
export interface TileContent {
  /** The feeds that it is read from. It is read when one of them is, and fails when one of them does. */
  live: readonly Live<unknown>[]
  /** The lines that matter most first: a small tile shows only these. Not shown before a feed is read. */
  lines: readonly PanelLine[]
  /** A list below the lines. */
  list?: { rows: readonly { id: RowId }[]; columns: readonly Column[] }
  /** A chart beside the lines, where there is room. */
  chart?: DayChart
}
