import { ServiceError } from '../../errors/index.js'
import type { Instrument } from '../../instruments/schema.js'
import { BrokerError, type BrokerInstruments } from '../broker.js'
import { credentialsOf, KiteApi } from './api.js'
import { kiteDumpSteps, parseKiteDump } from './kite-dump.js'

/** The dump has about ten megabytes. */
const DOWNLOAD_TIMEOUT_MS = 120_000
const BATCH = 5000

/** Kite's dump of every instrument: one CSV for all exchanges, refreshed each morning. */
export const instruments: BrokerInstruments = {
  async *download(session, context) {
    if (!session) {
      throw new BrokerError('auth', 'Log in to Zerodha to download its instruments.', { sent: 'never' })
    }
    const api = new KiteApi(context, credentialsOf(session))
    const text = await api.text('/instruments', DOWNLOAD_TIMEOUT_MS)
    let unusable = 0
    yield* batches(
      parseKiteDump(text, () => {
        unusable++
      }),
    )
    if (unusable > 0) context.log.warn('zerodha.unusable_instruments', { rows: unusable })
  },

  dump: { format: 'kite', parse: kiteDumpSteps },
}

/** @throws BrokerError `protocol` if the response is not the dump */
function* batches(rows: Iterable<Instrument>): Generator<Instrument[]> {
  let batch: Instrument[] = []
  try {
    for (const row of rows) {
      batch.push(row)
      if (batch.length < BATCH) continue
      yield batch
      batch = []
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new BrokerError('protocol', `GET /instruments: ${error.message}`, { sent: 'yes' })
  }
  if (batch.length > 0) yield batch
}
