import type { FC, ReactNode } from 'react'
import type { Column } from '../../views/table/column.js'
import type { List, Opened, RowId } from '../components/list/use-list.js'
import type { Binding } from '../keys/bindings.js'
import type { KeyHelp } from '../keys/KeyLine.js'
import type { Change } from '../live/changes/changes.js'
import type { LiveDaemon } from '../live/daemon.js'
import type { Live, LiveSource } from '../live/feed.js'
import type { Dialogs } from '../question/use-dialogs.js'
import type { Area } from '../terminal/size.js'
import type { FirstLine } from './first-line.js'
import type { Target } from './screen.js'

/** What a view shows now, and what its keys act on. */
export interface Shown<Content = unknown, Source = unknown> {
  content: Content
  /** The content with its age, and why it could not be read. */
  live: Live<Content>
  feed: Source
  /** Reads the content again. */
  refresh(): void
  /** Opens questions and forms, which lead to changes. */
  dialogs: Dialogs
  daemon: LiveDaemon
  views: Views
  /** The area between the first line, with the requests in doubt below it, and the message. */
  area: Area
  /** The time in milliseconds. */
  now: number
  /** How old the content is, and why; empty while it is current. */
  stale: string
}

/** The views of a screen, one of which is shown. */
export interface Views {
  /** The names of those that are tabs, as the line of tabs shows them. */
  tabs: readonly string[]
  current: string
  /** Shows the next tab, or the one before; after the last comes the first. */
  move(by: number): void
  /** Shows a view, and the row whose details are open in it. */
  show(name: string, opened?: RowId): void
}

/** What a list shows, and what its keys act on. */
export interface ListShown<Content, Source, Row> extends Shown<Content, Source> {
  /** All rows, also those that the filter hides. */
  rows: readonly Row[]
  /** The open row, or the selected one; undefined when it is gone. */
  row: Row | undefined
  list: List<Row>
  move(by: number): void
  opened: Opened<Row>
}

/** What a view has of its own beside its content: acts of several steps, another feed, a place that is kept. */
export interface WithOwn<Own> {
  own: Own
}

/** A key of a view: its words, and its act on what the view shows. */
export interface ViewKey<State> extends Omit<Binding<string, State>, 'in'> {
  /** The parts of the view in which it works; the list, or the content of a view without one, by default. */
  in?: readonly Part[]
}

/** The part of a view that has the keys: `list`, `details`, or one of its own. */
export type Part = string

/** The part of the record that says what is around the content of a view. */
export interface FrameRecord<State> {
  /** The name of the view: the line of tabs shows it. */
  name: string
  /** Returns the figures of the view, in a few words; by default those of the screen. */
  summary?(shown: State): string
  /** Returns the place of the cursor, as `12 of 207`; by default that of the list. */
  place?(shown: State): string
  /** Returns the first line from its parts; by default the age, what the filter leaves, and the figures. */
  firstLine?: FirstLine
  /** Returns the words of the last line but one, while nothing else is to say there. */
  note?(shown: State): string | undefined
  /** Returns what takes the place of the content or of the message: a form, a choice, a line to type in. */
  cover?(shown: State): Cover | undefined
}

/** The part of the record that every kind of view has. */
export interface ViewRecord<Content, Source, State, Own> extends FrameRecord<NoInfer<State & WithOwn<Own>>> {
  /** The class that reads the content. The program makes it once, and it reads while the view is shown. */
  feed: new (
    daemon: LiveDaemon,
  ) => Source & LiveSource<Content>
  /**
   * A hook: returns what the view has of its own. Give its parameter a type, and that of `useRows` too: TypeScript
   * then knows the types of the keys.
   */
  use?(shown: NoInfer<State>): Own
  /** Returns how often an age of the view changes, in milliseconds; by default each minute. */
  redrawMs?(content: Content): number
  /** The keys of the view, in the order in which the last line names them. */
  keys: readonly ViewKey<NoInfer<State & WithOwn<Own>>>[]
  /** The keys that many views have, after all other keys of the screen: those of tabs, details and lists by default. */
  commonKeys?: readonly ViewKey<NoInfer<State & WithOwn<Own>>>[]
  /** Shows an object that another part of the program asks for. */
  asked?(target: Target, shown: NoInfer<State & WithOwn<Own>>): void
  /** Returns a change as the questions of the view send it. */
  prepare?(change: Change, daemon: LiveDaemon): Change
}

/** A view with one list: its rows, the details of one, and the questions and forms of its keys. */
export interface ListRecord<Content, Source, Row extends { id: RowId }, Own>
  extends ViewRecord<Content, Source, ListShown<Content, Source, Row>, Own> {
  /** A hook: returns the rows, which may follow prices too. */
  useRows(live: Live<Content>): readonly Row[]
  /** The columns of the table. The list filters and sorts by them. */
  columns: readonly Column[]
  /** Draws the rows, where the table of the columns is not enough. */
  Rows?: FC<RowsProps<Row>>
  /** The words for a list without rows. */
  empty: EmptyWords<NoInfer<ListShown<Content, Source, Row> & WithOwn<Own>>>
  /** The fields of the details of a row; the columns by default. */
  fields?: readonly Column[]
  /** Draws the details of a row, where its fields are not enough. */
  Details?: FC<DetailsProps<NoInfer<ListShown<Content, Source, Row> & WithOwn<Own>>>>
  /** Returns the words over the details of a row; its id by default. */
  titleOf?(row: NoInfer<Row>): string
  /** False for a list that shows the details of its row itself; the others have them beside, where there is room. */
  hasPane?: false
  /** Draws what is over the rows, and below them. */
  above?(shown: NoInfer<ListShown<Content, Source, Row> & WithOwn<Own>>, area: Area): Strip
  below?(shown: NoInfer<ListShown<Content, Source, Row> & WithOwn<Own>>, area: Area): Strip
  /** Moves the cursor, where a move does more. */
  move?(by: number, shown: NoInfer<ListShown<Content, Source, Row> & WithOwn<Own>>): void
}

export interface RowsProps<Row> extends Area {
  list: List<Row>
  live: Live<unknown>
  now: number
}

export interface DetailsProps<State> extends Area {
  id: RowId
  shown: State
}

/** Some lines beside the rows. */
export interface Strip {
  lines: number
  node: ReactNode
}

/** The words in place of rows: for a list that has none, or for each reason. */
export type EmptyWords<State> =
  | string
  | ((shown: State) => string)
  | {
      none: string | ((shown: State) => string)
      /** Before the first read; by default `Reading …`. */
      reading?: string
      /** Returns the words for a first read that failed; by default `Not read: …`. */
      failed?(problem: string): string
      /** Returns the words for a filter that leaves no row; by default `No row has "…".` */
      filtered?(filter: string): string
    }

/** A view with the fields of one record. */
export interface FieldsRecord<Content, Source, Own>
  extends ViewRecord<Content, Source, Shown<Content, Source>, Own> {
  /** Returns the record with its fields, the ones that matter most first. */
  record(shown: Shown<Content, Source> & WithOwn<NoInfer<Own>>): { record: object; fields: readonly Column[] }
  /** The words before the first read; by default those of a list. */
  reading?: string
}

/** A view that draws its content itself: a chart, a text, a picture. */
export interface DrawnRecord<Content, Source, Own>
  extends ViewRecord<Content, Source, Shown<Content, Source>, Own> {
  Draw: FC<Area & { shown: NoInfer<Shown<Content, Source> & WithOwn<Own>> }>
}

/** What takes the place of the content, or of the message below it. */
export interface Cover {
  /** The part of the view that has the keys meanwhile. */
  part?: Part
  /** The keys that the last line names in place of those of the part. */
  keys?: readonly KeyHelp[]
  draw?(area: Area): ReactNode
  prompt?: ReactNode
}
