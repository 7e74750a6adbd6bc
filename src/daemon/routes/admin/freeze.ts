import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import type {
  FreezeEntry,
  FreezeQuantities,
  UploadedRow,
  UploadReport,
} from '../../../core/instruments/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { readText } from '../../http/body/body.js'
import { readForm } from '../../http/body/form.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { freezeUploadQuery } from '../../operations/admin/payloads.js'
import type { AppEnv } from '../../process/env.js'
import { rowId } from './row-id.js'

/** Returns the handlers for the largest orders that exchanges accept. */
export function freezeHandlers({ freeze }: { freeze: FreezeQuantities }) {
  return {
    'GET /admin/api/freeze': () => ({ status: 'success', data: freeze.list().map(view) }),
    'POST /admin/api/freeze': async ({ body: { exchange, symbol, freeze_qty } }) => {
      const entry = await freeze.add({ exchange, symbol, freezeQuantity: freeze_qty })
      return changed('Added', entry)
    },
    'PUT /admin/api/freeze/:id': async ({ params: { id }, body: { freeze_qty } }) =>
      changed('Updated', await freeze.set(rowId(id), freeze_qty)),
    'DELETE /admin/api/freeze/:id': async ({ params: { id } }) => {
      const { symbol } = await freeze.remove(rowId(id))
      return { status: 'success', message: `Deleted freeze qty for ${symbol}` }
    },
    // The body is a file, not JSON.
    'POST /admin/api/freeze/upload': httpHandler(async (c) => {
      const { exchange, text } = await uploadOf(c)
      return c.json(reportView(await freeze.upload(exchange, text)))
    }),
  } satisfies Partial<Handlers>
}

/** Returns the file of an upload: a form as browsers send it, or the CSV itself with the exchange in the query. */
async function uploadOf(c: Context<AppEnv>): Promise<{ exchange: string; text: string }> {
  const type = c.req.header('content-type') ?? ''
  const query = parseWith(freezeUploadQuery, c.req.query())
  if (/^text\/csv\s*(;|$)/i.test(type)) return { exchange: query.exchange, text: await readText(c) }
  if (!/^multipart\/form-data\s*;/i.test(type)) {
    throw new ServiceError('unsupported_media', 'The body must be a form with csv_file, or a CSV (text/csv)')
  }
  const form = await readForm(c)
  const file = form.get('csv_file')
  if (!(file instanceof File) || file.name === '') throw refused('No file selected')
  if (!/\.csv$/i.test(file.name)) throw refused('Please upload a CSV file')
  const exchange = form.get('exchange') ?? query.exchange
  return { exchange: typeof exchange === 'string' ? exchange : '', text: await file.text() }
}

function view({ id, exchange, symbol, freezeQuantity }: FreezeEntry) {
  return { id, exchange, symbol, freeze_qty: freezeQuantity }
}

function changed(verb: string, entry: FreezeEntry) {
  const message = `${verb} freeze qty for ${entry.symbol}: ${entry.freezeQuantity}`
  return { status: 'success' as const, message, data: view(entry) }
}

function reportView({ exchange, rows, removed }: UploadReport) {
  const countOf = (outcome: UploadedRow['outcome']) => rows.filter((row) => row.outcome === outcome).length
  return {
    status: 'success',
    message: `Successfully loaded ${rows.length} freeze quantities for ${exchange}`,
    count: rows.length,
    data: {
      exchange,
      added: countOf('added'),
      changed: countOf('changed'),
      unchanged: countOf('unchanged'),
      removed: removed.map(({ symbol, freezeQuantity }) => ({ symbol, freeze_qty: freezeQuantity })),
      rows: rows.map(({ line, symbol, freezeQuantity, outcome, previous }) => ({
        line,
        symbol,
        freeze_qty: freezeQuantity,
        outcome,
        previous: previous ?? null,
      })),
    },
  }
}

function refused(text: string): ServiceError {
  return new ServiceError('validation', text, { errors: { csv_file: [text] } })
}
