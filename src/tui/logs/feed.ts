import type { ClientEvent, SvcClient } from '../../client/index.js'
import type { RowId } from '../components/list/use-list.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed, type Source } from '../live/feed.js'

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

/** The rows that are asked for. */
export interface Asked {
  /** The text that the daemon looks for. */
  search: string | undefined
  /** True with the requests that only read, in a log that has them. */
  reads: boolean
}

/** The routes of a log, by pages. */
export interface LogPages {
  first(client: SvcClient, asked: Asked): Promise<FirstPage>
  /** Returns the rows after a mark, the newest first; undefined for a log whose first page is read again. */
  newer?(client: SvcClient, asked: Asked, mark: number): Promise<Omit<FirstPage, 'hasOlder'>>
  /** Returns the rows before one. */
  older?(client: SvcClient, asked: Asked, last: LogRow): Promise<Omit<FirstPage, 'mark'>>
  /** Returns the figures of the whole log, in a few words. */
  figures?(client: SvcClient): Promise<string>
  /** Returns whether the log may have new rows after an event. */
  isChangedBy(event: ClientEvent): boolean
}

/** The rows of one page. */
export const PAGE = 100

/** The part of a log that was read. */
export interface LogContent {
  /** Newest first. */
  rows: readonly LogRow[]
  hasOlder: boolean
  mark: number
  /** The text that the daemon looked for; empty for all rows. */
  search: string
  /** True with the requests that only read. */
  reads: boolean
  /** The figures of the whole log; empty before they are read. */
  figures: string
}

const EMPTY: LogContent = { rows: [], hasOlder: false, mark: 0, search: '', reads: false, figures: '' }
/** A log that is followed for a day must not fill the memory. */
const MOST_ROWS = 2000
const KEPT_ROWS = 1000
/** Figures cost more than rows, and change little. */
const FIGURES_MS = 15_000

/** A log, live: the newest rows, those that come, and older ones on demand. */
export class LogFeed extends Feed<LogContent> {
  readonly #reader: LogReader

  constructor(daemon: LiveDaemon, pages: LogPages, reader = new LogReader(pages)) {
    super(daemon, reader, EMPTY)
    this.#reader = reader
  }

  /** Lets new rows come, or not. */
  follow(isFollowing: boolean): void {
    if (this.#reader.isFollowing === isFollowing) return
    this.#reader.isFollowing = isFollowing
    if (isFollowing) void this.refresh()
  }

  /** Lets the daemon look for a text; an empty one is in every row. */
  search(text: string): void {
    if (this.#reader.search === text) return
    this.#reader.search = text
    void this.refresh()
  }

  /** Shows the requests that only read, too, or not. */
  showReads(reads: boolean): void {
    if (this.#reader.reads === reads) return
    this.#reader.reads = reads
    void this.refresh()
  }

  /** Reads a page of older rows, if there is one. */
  readOlder(): void {
    if (!this.state().content.hasOlder || this.#reader.wantsOlder) return
    this.#reader.wantsOlder = true
    void this.refresh()
  }
}

class LogReader implements Source<LogContent> {
  isFollowing = true
  search = ''
  reads = false
  wantsOlder = false
  /** The routes of some logs allow a read each second. */
  readonly pauseMs = 2000
  readonly gatherMs = 1000
  readonly #pages: LogPages
  #isBegun = false
  #figuresAt = 0

  constructor(pages: LogPages) {
    this.#pages = pages
  }

  isChangedBy(event: ClientEvent): boolean {
    return this.isFollowing && this.#pages.isChangedBy(event)
  }

  async read(client: SvcClient, before: LogContent): Promise<LogContent> {
    const rows = await this.#rows(client, before)
    this.#isBegun = true
    return this.#withFigures(client, rows)
  }

  async #rows(client: SvcClient, before: LogContent): Promise<LogContent> {
    const { newer, older } = this.#pages
    const { search, reads } = this
    const asked = { search: search === '' ? undefined : search, reads }
    const last = before.rows.at(-1)
    if (!this.#isBegun || before.search !== search || before.reads !== reads) {
      this.wantsOlder = false
      return { ...before, ...(await this.#pages.first(client, asked)), search, reads }
    }
    if (this.wantsOlder && older !== undefined && last !== undefined) {
      this.wantsOlder = false
      const page = await older(client, asked, last)
      return { ...before, ...page, rows: [...before.rows, ...unknownOf(page.rows, before.rows)] }
    }
    if (!this.isFollowing) return before
    if (newer === undefined) return { ...before, ...(await this.#pages.first(client, asked)) }
    const { rows, mark } = await newer(client, asked, before.mark)
    return rows.length === 0
      ? before
      : trimmed({ ...before, mark, rows: [...unknownOf(rows, before.rows), ...before.rows] })
  }

  async #withFigures(client: SvcClient, content: LogContent): Promise<LogContent> {
    const { figures } = this.#pages
    if (figures === undefined || Date.now() - this.#figuresAt < FIGURES_MS) return content
    this.#figuresAt = Date.now()
    return { ...content, figures: await figures(client) }
  }
}

/** A row that arrived during a read may be in two pages. */
function unknownOf(rows: readonly LogRow[], known: readonly LogRow[]): readonly LogRow[] {
  const ids = new Set(known.map(({ id }) => id))
  return rows.filter(({ id }) => !ids.has(id))
}

/** Forgets the oldest rows of a long list; they can be read again. */
function trimmed(content: LogContent): LogContent {
  if (content.rows.length <= MOST_ROWS) return content
  return { ...content, rows: content.rows.slice(0, KEPT_ROWS), hasOlder: true }
}
