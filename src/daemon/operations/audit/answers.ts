import { z } from 'zod'
import { ACT_CREDENTIALS, ACT_OUTCOMES } from '../../../core/audit/schema.js'
import { count, text } from '../common/answers.js'

const value = z.unknown().meta({ description: 'The values that changed; null if the act has none.' })

export const auditRows = z.array(
  z.strictObject({
    id: count,
    at: text.meta({ format: 'date-time', description: 'UTC.' }),
    act: text,
    actor: text,
    credential: z.enum(ACT_CREDENTIALS),
    credential_id: text.nullable(),
    address: text.nullable(),
    target: text.nullable(),
    outcome: z.enum(ACT_OUTCOMES),
    code: text.nullable(),
    before: value,
    after: value,
    request_id: text.nullable(),
  }),
)

export const verification = z.strictObject({
  status: z.literal('success'),
  data: z.strictObject({
    ok: z.boolean(),
    checked: count,
    first: count,
    last: count,
    head: text.nullable().meta({ description: 'Note it elsewhere: a later check can ask for it.' }),
    problem: z
      .strictObject({
        kind: z.enum(['altered', 'missing', 'cut_off', 'unsealed', 'seal', 'resealed', 'head']),
        id: count,
        at: text.nullable(),
        message: text,
      })
      .nullable(),
  }),
})
