import {
  type FundRecord,
  fundRecord,
  type HoldingRecord,
  holdingRecords,
  type PositionRecord,
  positionRecords,
} from '../../client/answers/records.js'
import type { RouteAnswer, SvcClient } from '../../client/index.js'
import { symbolKey } from '../../views/text/symbol.js'
import type { LiveDaemon } from '../live/daemon.js'
import { Feed } from '../live/feed.js'
import { changesBooks } from '../orders/feed.js'

export interface PositionRow extends PositionRecord {
  id: string
}

export interface HoldingRow extends HoldingRecord {
  id: string
}

export type PnlDay = RouteAnswer<'POST /pnltracker/api/pnl'>['data']

/** Brokers limit the reads of their books. */
const PACE = { isChangedBy: changesBooks, pauseMs: 5000, gatherMs: 250 } as const
/** The service draws one point a minute. */
const PNL_PAUSE_MS = 20_000
/** The service reads the bars of two instruments a second, so the first answer for many of them takes a while. */
const PNL_LIMIT_MS = 300_000

/** The positions of the session: open ones first. */
export class PositionFeed extends Feed<readonly PositionRow[]> {
  constructor(daemon: LiveDaemon) {
    super(daemon, { read: readPositions, ...PACE }, [])
  }
}

export class HoldingFeed extends Feed<readonly HoldingRow[]> {
  constructor(daemon: LiveDaemon) {
    super(daemon, { read: readHoldings, ...PACE }, [])
  }
}

export class FundFeed extends Feed<FundRecord | undefined> {
  constructor(daemon: LiveDaemon) {
    super(
      daemon,
      { read: async (client: SvcClient) => fundRecord(await client.call('funds', {})), ...PACE },
      undefined,
    )
  }
}

/** The profit and loss of the day by the minute. */
export class PnlFeed extends Feed<PnlDay | undefined> {
  constructor(daemon: LiveDaemon) {
    const read = async () =>
      (await daemon.access.client(PNL_LIMIT_MS).request('POST /pnltracker/api/pnl', {})).data
    super(daemon, { ...PACE, read, pauseMs: PNL_PAUSE_MS }, undefined)
  }
}

async function readPositions(client: SvcClient): Promise<readonly PositionRow[]> {
  const rows = positionRecords(await client.call('positionbook', {}))
  return rows
    .map((row) => ({ ...row, id: positionId(row) }))
    .toSorted((one, other) => Number(one.quantity === 0) - Number(other.quantity === 0))
}

async function readHoldings(client: SvcClient): Promise<readonly HoldingRow[]> {
  const rows = holdingRecords(await client.call('holdings', {}))
  return rows.map((row) => ({ ...row, id: positionId(row) }))
}

/** Returns the id of a position or a holding: `NSE:SBIN MIS`. */
export function positionId(row: Pick<PositionRecord, 'exchange' | 'symbol' | 'product'>): string {
  return `${symbolKey(row)} ${row.product}`
}
