import { BrokerError, type BrokerInstruments } from '../../broker.js'
import { rowsOfJsonFile } from '../../kit/master/json-rows.js'
import { masterBatches } from '../../kit/master/master-batches.js'
import { masterFile } from '../../kit/master/master-file.js'
import { DEFAULT_ENDPOINTS } from '../manifest.js'
import { instrumentIn, witnessOf } from './rows.js'

const PATH = '/market-quote/instruments/exchange/complete.json.gz'
const CALL = `GET ${PATH}`
/** The file has some ten megabytes, packed. */
const DOWNLOAD_TIMEOUT_MS = 120_000

const PAISE = 0.01
/** So many shares prove the unit of the ticks. */
const WITNESSES = 200

/** Upstox's list of every instrument: one packed JSON file for all exchanges, which needs no session. */
export const instruments: BrokerInstruments = {
  async *download(_session, context) {
    const endpoint = context.endpoints.master ?? DEFAULT_ENDPOINTS.master
    const { bytes: file } = await masterFile(context, {
      endpoint,
      path: PATH,
      timeoutMs: DOWNLOAD_TIMEOUT_MS,
    })
    const tickScale = await tickScaleOf(file)
    const parts = rowsOfJsonFile(CALL, file)
    yield* masterBatches(context.log, { call: CALL, parts, read: (row) => instrumentIn(row, tickScale) })
  },
}

/**
 * Returns the rupees of a tick size of 1. The file is believed to have paise, and is not documented: a share below 5,000 rupees
 * has a tick below one rupee, so if no tick of many shares is below 1, they are paise.
 */
async function tickScaleOf(file: Uint8Array): Promise<number> {
  let seen = 0
  for await (const rows of rowsOfJsonFile(CALL, file)) {
    for (const row of rows) {
      const tick = witnessOf(row)
      if (tick === undefined) continue
      if (tick < 1) return 1
      seen += 1
    }
    if (seen >= WITNESSES) break
  }
  if (seen > 0) return PAISE
  throw new BrokerError('protocol', `${CALL}: the list has no share, so the unit of its ticks is unknown`, {
    sent: 'yes',
  })
}
