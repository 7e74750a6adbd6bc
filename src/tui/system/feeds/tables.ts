import type { RouteAnswer, SvcClient } from '../../../client/index.js'
import { holidayRows } from '../../../views/system/holiday.js'
import { timingRows } from '../../../views/system/timing.js'
import type { Desk } from '../../live/desk.js'
import { Feed } from '../../live/feed.js'

/** These tables have no events, and change by a person's hand only. */
const BY_HAND = { isChangedBy: () => false, pauseMs: 30_000, gatherMs: 250 }

export type FreezeRow = RouteAnswer<'GET /admin/api/freeze'>['data'][number]

/** The freeze quantities: the largest orders that exchanges accept. */
export class FreezeFeed extends Feed<readonly FreezeRow[]> {
  constructor(desk: Desk) {
    const read = async (client: SvcClient) => (await client.request('GET /admin/api/freeze', {})).data
    super(desk, { read, ...BY_HAND }, [])
  }
}

export type HolidayRow = ReturnType<typeof holidayRows>[number]

export interface HolidayContent {
  /** The year of the rows; undefined before the first read. */
  year: number | undefined
  rows: readonly HolidayRow[]
  exchanges: readonly string[]
  /** The warning about a year whose holidays are not complete. */
  warning: string
}

const NO_HOLIDAYS: HolidayContent = { year: undefined, rows: [], exchanges: [], warning: '' }

/** The holidays and special sessions of a year: at first the current one. */
export class HolidayFeed extends Feed<HolidayContent> {
  readonly #asked: { year: number | undefined }

  constructor(desk: Desk) {
    const asked: { year: number | undefined } = { year: undefined }
    super(desk, { read: (client) => readHolidays(client, asked.year), ...BY_HAND }, NO_HOLIDAYS)
    this.#asked = asked
  }

  /** Shows another year. The first and the last one are the daemon's. */
  moveYear(by: number): void {
    const year = (this.#asked.year ?? this.state().content.year ?? 0) + by
    if (year < FIRST_YEAR || year > LAST_YEAR) return
    this.#asked.year = year
    void this.refresh()
  }
}

export const FIRST_YEAR = 2020
export const LAST_YEAR = 2050

async function readHolidays(client: SvcClient, year: number | undefined): Promise<HolidayContent> {
  const body = await client.request('GET /admin/api/holidays', { query: { year } })
  const { current_year, exchanges, warning = '' } = body
  return { year: current_year, rows: holidayRows(body), exchanges, warning }
}

export type HoursRow = ReturnType<typeof timingRows>[number]

/** The usual trading hours of the exchanges, and those of today. */
export class HoursFeed extends Feed<readonly HoursRow[]> {
  constructor(desk: Desk) {
    const read = async (client: SvcClient) => timingRows(await client.request('GET /admin/api/timings', {}))
    super(desk, { read, ...BY_HAND }, [])
  }
}

export type Risk = RouteAnswer<'GET /risk'>['data']

/** The limits of the risk gate, and the kill switch. */
export class RiskFeed extends Feed<Risk | undefined> {
  constructor(desk: Desk) {
    const read = async (client: SvcClient) => (await client.request('GET /risk', {})).data
    const isChangedBy = ({ event }: { event: string }) => event === 'kill_switch'
    super(desk, { read, ...BY_HAND, isChangedBy }, undefined)
  }
}
