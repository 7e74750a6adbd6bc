import type { Instrument } from '../../../instruments/schema.js'
import { BrokerError, type BrokerInstruments } from '../../broker.js'
import { inParts, masterBatches } from '../../kit/master/master-batches.js'
import { credentialsOf, KiteApi } from '../api.js'
import { parseKiteDump } from './kite-dump.js'

const PATH = '/instruments'

/** The dump has about ten megabytes. */
const DOWNLOAD_TIMEOUT_MS = 120_000

/** Kite's dump of every instrument: one CSV for all exchanges, refreshed each morning. */
export const instruments: BrokerInstruments = {
  async *download(session, context) {
    if (!session) {
      throw new BrokerError('auth', 'Log in to Zerodha to download its instruments.', { sent: 'never' })
    }
    const api = new KiteApi(context, credentialsOf(session))
    const text = await api.text(PATH, DOWNLOAD_TIMEOUT_MS)
    const parts = inParts(rowsOf(text))
    yield* masterBatches(context.log, { call: `GET ${PATH}`, parts, read: (row) => row })
  },

  dump: { format: 'kite', parse: parseKiteDump },
}

/** Yields each row, or why it cannot be used. */
function* rowsOf(text: string): Generator<Instrument | string | undefined> {
  let problem: string | undefined
  const rows = parseKiteDump(text, ({ line, reason }) => {
    problem = `line ${line}: ${reason}`
  })
  for (const row of rows) {
    yield row ?? problem
    problem = undefined
  }
}
