import { z } from 'zod'
import { zonedInstant } from '../../../core/time/index.js'
import { fields } from '../../../core/validation/index.js'

/** The payload of operations that take only a credential. */
export const noFields = z.strictObject({})

/** What every operation that answers with a CSV file takes. */
export const csvFile = {
  bom: fields.oneOf(['true', 'false']).optional().meta({
    description:
      'Whether the CSV file begins with a byte order mark, which spreadsheets need; by default only where a browser asks (Accept with text/html).',
  }),
}

export const csvFileQuery = z.object(csvFile)

/** An instant as ISO 8601 with its zone, or in epoch milliseconds. */
export const instant = z
  .string()
  .transform((text, context) => {
    const at = /^\d{1,15}$/.test(text) ? Number(text) : zonedInstant(text)
    if (at !== undefined) return at
    context.addIssue({ code: 'custom', message: 'Must be an ISO 8601 time with its zone, or milliseconds.' })
    return z.NEVER
  })
  .meta({ type: 'string', description: 'ISO 8601 with its zone, or epoch milliseconds.' })
