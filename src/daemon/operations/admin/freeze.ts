import type { Context } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import type { FreezeEntry, UploadedRow, UploadReport } from '../../../core/instruments/index.js'
import { nextTurn } from '../../../core/time/index.js'
import { fields, parseWith } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import { readText } from '../../http/body/body.js'
import type { AppEnv } from '../../process/env.js'
import type { ActRequest } from '../audit-facts.js'
import { count, message, messageOnly, ok, text } from '../common/answers.js'
import { rowId } from '../common/row-id.js'
import { http, signedIn } from '../running.js'

const reads = signedIn('Administration', 'api', 'read')
const changes = signedIn('Administration', 'api', 'admin')

const REFUSALS = ['validation', 'too_large', 'unsupported_media'] as const
const FREEZE_ID = { id: 'The id of a freeze quantity, from its list.' }

const freezePayload = z.strictObject({
  exchange: fields.text().default('NFO'),
  symbol: fields.text(),
  freeze_qty: fields.integer(),
})
const freezeQuantityPayload = z.strictObject({ freeze_qty: fields.integer() })
const freezeUploadQuery = z.object({ exchange: fields.text().default('NFO') })

const freezeRow = z.strictObject({ id: count, exchange: text, symbol: text, freeze_qty: count })

const freezeList = ok({ data: z.array(freezeRow) })
const freezeEntry = ok({ message, data: freezeRow })
const freezeUpload = ok({
  message,
  count,
  data: z.strictObject({
    exchange: text,
    added: count,
    changed: count,
    unchanged: count,
    removed: z.array(z.strictObject({ symbol: text, freeze_qty: count })).meta({
      description: 'The entries of the exchange that the file does not have.',
    }),
    rows: z.array(
      z.strictObject({
        line: count,
        symbol: text,
        freeze_qty: count,
        outcome: z.enum(['added', 'changed', 'unchanged']),
        previous: count.nullable().meta({ description: 'The quantity before the upload.' }),
      }),
    ),
  }),
})

/** The freeze quantities: the largest orders that exchanges accept. */
export const FREEZE_OPERATIONS = {
  'GET /admin/api/freeze': reads('Lists the freeze quantities, the largest orders that exchanges accept.', {
    answer: freezeList,
    run: ({ instruments: { freeze } }) => ({ status: 'success', data: freeze.list().map(freezeView) }),
  }),
  'POST /admin/api/freeze': changes('Adds a freeze quantity.', {
    body: freezePayload,
    example: { exchange: 'NFO', symbol: 'NIFTY', freeze_qty: 1800 },
    answer: freezeEntry,
    errors: REFUSALS,
    audit: { act: 'freeze.add', values: freezeValues },
    run: async ({ instruments: { freeze } }, { body: { exchange, symbol, freeze_qty } }) =>
      changed('Added', await freeze.add({ exchange, symbol, freezeQuantity: freeze_qty })),
  }),
  'PUT /admin/api/freeze/:id': changes('Changes a freeze quantity.', {
    params: FREEZE_ID,
    body: freezeQuantityPayload,
    example: { freeze_qty: 1200 },
    answer: freezeEntry,
    errors: ['not_found', ...REFUSALS],
    audit: { act: 'freeze.set', values: freezeValues },
    run: async ({ instruments: { freeze } }, { params: { id }, body: { freeze_qty } }) =>
      changed('Updated', await freeze.set(rowId(id), freeze_qty)),
  }),
  'DELETE /admin/api/freeze/:id': changes('Deletes a freeze quantity.', {
    params: FREEZE_ID,
    answer: messageOnly,
    errors: ['not_found'],
    audit: { act: 'freeze.remove', values: freezeValues },
    run: async ({ instruments: { freeze } }, { params: { id } }) => {
      const { symbol } = await freeze.remove(rowId(id))
      return { status: 'success', message: `Deleted freeze qty for ${symbol}` }
    },
  }),
  'POST /admin/api/freeze/upload': changes(
    'Replaces the freeze quantities of an exchange with those of a CSV file, or changes nothing.',
    {
      limit: 'tenAMinute',
      query: freezeUploadQuery,
      bodyText: 'text/csv',
      bodyForm: { csv_file: 'The file; its name ends in .csv.', exchange: 'NFO by default.' },
      answer: freezeUpload,
      errors: REFUSALS,
      audit: { act: 'freeze.upload', values: freezeValues },
      run: http('a file', async ({ instruments: { freeze } }, c) => {
        const { exchange, text } = await uploadOf(c)
        return c.json(reportView(await freeze.upload(exchange, text)))
      }),
    },
  ),
}

/** Thousands of entries, after an act that took long itself: others go first. */
async function freezeValues({ service: { instruments } }: ActRequest<RunningService>) {
  await nextTurn()
  return Object.fromEntries(
    instruments.freeze.list().map((entry) => [`${entry.exchange}:${entry.symbol}`, entry.freezeQuantity]),
  )
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

function freezeView({ id, exchange, symbol, freezeQuantity }: FreezeEntry) {
  return { id, exchange, symbol, freeze_qty: freezeQuantity }
}

function changed(verb: string, entry: FreezeEntry) {
  const message = `${verb} freeze qty for ${entry.symbol}: ${entry.freezeQuantity}`
  return { status: 'success' as const, message, data: freezeView(entry) }
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

/**
 * Returns a form with files (`multipart/form-data`), up to the size limit of a body. Its files must be text.
 * @throws ServiceError as {@link readText}; `validation` for a form that cannot be read
 */
async function readForm(c: Context<AppEnv>): Promise<FormData> {
  const text = await readText(c)
  const headers = { 'content-type': c.req.header('content-type') ?? '' }
  try {
    return await new Response(text, { headers }).formData()
  } catch (error) {
    throw new ServiceError('validation', 'The body is not a valid form', { cause: error })
  }
}
