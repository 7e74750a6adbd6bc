import { z } from 'zod'

/** The payload of operations that take only a credential. */
export const noFields = z.strictObject({})

const WITH_ZONE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

/** An instant as ISO 8601 with its zone, or in epoch milliseconds. */
export const instant = z
  .string()
  .transform((text, context) => {
    const at = /^\d{1,15}$/.test(text) ? Number(text) : WITH_ZONE.test(text) ? Date.parse(text) : Number.NaN
    if (Number.isFinite(at)) return at
    context.addIssue({ code: 'custom', message: 'Must be an ISO 8601 time with its zone, or milliseconds.' })
    return z.NEVER
  })
  .meta({ type: 'string', description: 'ISO 8601 with its zone, or epoch milliseconds.' })
