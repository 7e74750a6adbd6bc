import type { RouteAnswer } from '../../../client/endpoints.js'
import type { Context } from '../../framework/context.js'

export type PnlDay = RouteAnswer<'POST /pnltracker/api/pnl'>['data']

/** The daemon reads the bars of two instruments a second, so the first answer for many of them takes a while. */
const TIMEOUT_MS = 300_000

/** Reads the day. The route only reads, although it is a POST. */
export async function readDay(context: Context): Promise<PnlDay> {
  const call = context.changeCall('POST /pnltracker/api/pnl', {})
  return (await context.client().send({ ...call, changes: false, timeoutMs: TIMEOUT_MS })).body.data
}
