import { z } from 'zod'
import { TOOLSETS } from '../../../core/config/index.js'
import { fields } from '../../../core/validation/index.js'

/** A message of the protocol; the server of the protocol checks the rest. */
export const rpcMessage = z.looseObject({
  jsonrpc: z.literal('2.0', { error: 'Must be 2.0.' }),
  method: fields.text(200).optional(),
  id: z.union([z.string().max(200), z.number()]).optional(),
  params: z.looseObject({}).optional(),
})

/** Fewer tools than the key would allow. */
export const narrowing = z.object({
  /** Names, separated by commas. */
  toolsets: fields
    .text(200)
    .transform((text, ctx) => {
      const names = text.split(',').map((name) => name.trim())
      const known = TOOLSETS.filter((one) => names.includes(one))
      if (known.length === names.length) return known
      ctx.addIssue({ code: 'custom', message: `Must be some of: ${TOOLSETS.join(', ')}.` })
      return z.NEVER
    })
    .optional(),
  read_only: fields.boolean().default(false),
})
