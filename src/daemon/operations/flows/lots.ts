import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import type { Listings } from '../../../core/options/index.js'
import type { Clock } from '../../../core/time/index.js'
import type { RunningService } from '../../daemon.js'
import { flowLots } from '../../flows/lots-port.js'
import { readDocument } from '../../http/body/document.js'
import { amount, ok, text } from '../common/answers.js'
import { http } from '../running.js'
import { graphList, json, MAX_DOCUMENT_BYTES, reading, workflows } from './workflow-facts.js'

/** The index underlyings that flow editors offer, with the exchange of their contracts. */
const INDEX_UNDERLYINGS: Readonly<Record<string, string>> = {
  NIFTY: 'NFO',
  BANKNIFTY: 'NFO',
  FINNIFTY: 'NFO',
  MIDCPNIFTY: 'NFO',
  NIFTYNXT50: 'NFO',
  SENSEX: 'BFO',
  BANKEX: 'BFO',
  SENSEX50: 'BFO',
}

/** Returns lot sizes for flow editors: of a symbol, and of index contracts. Leaves out unknown indices. */
function lotSizes(listings: Listings, clock: Clock) {
  const { catalog: directory } = listings
  const lots = flowLots(listings, clock)
  return {
    lotSizeOf: (symbol: string, exchange: string) =>
      directory.find(symbol, exchange)?.lotSize ?? lots.lotSize(symbol, exchange),
    indexSymbols: () =>
      Object.entries(INDEX_UNDERLYINGS).flatMap(([value, exchange]) => {
        const lotSize = lots.lotSize(value, exchange)
        return lotSize === undefined ? [] : [{ value, label: value, exchange, lotSize }]
      }),
  }
}

const MAX_SYMBOLS = 50

const lotSizesBody = z.looseObject({ symbols: graphList })

const indexSymbols = ok({
  data: z.array(z.strictObject({ value: text, label: text, exchange: text, lotSize: amount })),
})
const lotSizeMap = ok({ lotSizes: z.record(z.string(), amount.nullable()) })

/** Lot sizes, for editors of workflows. */
export const LOT_OPERATIONS = {
  'GET /flow/api/index-symbols': workflows(
    'Lists the index underlyings with the lot sizes of their contracts.',
    {
      ...reading,
      answer: indexSymbols,
      run: (service) => ({ status: 'success', data: flowLotSizes(service).indexSymbols() }),
    },
  ),
  'POST /flow/api/symbol-lotsizes': workflows('Returns the lot sizes of up to 50 symbols.', {
    ...reading,
    body: lotSizesBody,
    example: { symbols: [{ symbol: 'SBIN', exchange: 'NSE' }] },
    answer: lotSizeMap,
    errors: json,
    audit: { unrecorded: 'It changes nothing.' },
    // Clients of the public API expect the exact messages of its refusals.
    run: http('its own refusals', async (service, c) => {
      const { lotSizeOf } = flowLotSizes(service)
      const sizes = symbolsIn(await readDocument(c, MAX_DOCUMENT_BYTES)).map(({ symbol, exchange }) => [
        `${exchange}:${symbol}`,
        lotSizeOf(symbol, exchange) ?? null,
      ])
      return c.json({ status: 'success', lotSizes: Object.fromEntries(sizes) })
    }),
  }),
}

function flowLotSizes({ calendar, clock, instruments }: RunningService) {
  return lotSizes({ catalog: instruments.directory, calendar }, clock)
}

/** Returns the symbols of a body. @throws ServiceError `validation` */
function symbolsIn(body: object): { symbol: string; exchange: string }[] {
  const symbols: unknown = 'symbols' in body ? body.symbols : undefined
  if (!Array.isArray(symbols) || symbols.length === 0) throw refused('symbols must be a non-empty array')
  if (symbols.length > MAX_SYMBOLS) throw refused(`at most ${MAX_SYMBOLS} symbols per request`)
  return symbols.map((one: unknown) => {
    if (typeof one !== 'object' || one === null || Array.isArray(one)) {
      throw refused('each symbol must be an object')
    }
    const { symbol, exchange } = { symbol: undefined, exchange: undefined, ...one }
    if (typeof symbol !== 'string' || typeof exchange !== 'string' || symbol === '' || exchange === '') {
      throw refused('symbol and exchange are required')
    }
    return { symbol, exchange }
  })
}

function refused(message: string): ServiceError {
  return new ServiceError('validation', message)
}
