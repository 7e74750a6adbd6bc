import type { ClientEvent, SvcClient } from '../../client/index.js'
import type { RowId } from '../components/list/use-cursor.js'

/** A row of a log, with the fields of the tab's columns. */
export interface LogRow {
  readonly id: RowId
}

/** The newest rows of a log that the search finds. */
export interface FirstPage {
  /** Newest first. */
  rows: readonly LogRow[]
  hasOlder: boolean
  /** The place from which {@link LogPages.newer} reads on. */
  mark: number
}

/** The routes of a log, by pages. */
export interface LogPages {
  first(client: SvcClient, search: string | undefined): Promise<FirstPage>
  /** Returns the rows after a mark, the newest first; undefined for a log whose first page is read again. */
  newer?(client: SvcClient, search: string | undefined, mark: number): Promise<Omit<FirstPage, 'hasOlder'>>
  /** Returns the rows before one. */
  older?(client: SvcClient, search: string | undefined, last: LogRow): Promise<Omit<FirstPage, 'mark'>>
  /** Returns the figures of the whole log, in a few words. */
  figures?(client: SvcClient): Promise<string>
  /** Returns whether the log may have new rows after an event. */
  isChangedBy(event: ClientEvent): boolean
}

/** The rows of one page. */
export const PAGE = 100
