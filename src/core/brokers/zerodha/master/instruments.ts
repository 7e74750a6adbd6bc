import { BrokerError, type BrokerInstruments } from '../../broker.js'
import { masterBatches } from '../../kit/books/master-batches.js'
import { credentialsOf, KiteApi } from '../api.js'
import { kiteDumpSteps, parseKiteDump } from './kite-dump.js'

/** The dump has about ten megabytes. */
const DOWNLOAD_TIMEOUT_MS = 120_000

/** Kite's dump of every instrument: one CSV for all exchanges, refreshed each morning. */
export const instruments: BrokerInstruments = {
  async *download(session, context) {
    if (!session) {
      throw new BrokerError('auth', 'Log in to Zerodha to download its instruments.', { sent: 'never' })
    }
    const api = new KiteApi(context, credentialsOf(session))
    const text = await api.text('/instruments', DOWNLOAD_TIMEOUT_MS)
    yield* masterBatches('GET /instruments', context.log, (onUnusable) => parseKiteDump(text, onUnusable))
  },

  dump: { format: 'kite', parse: kiteDumpSteps },
}
