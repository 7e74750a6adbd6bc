import { z } from 'zod'
import { fields } from '../../../core/validation/index.js'

export const settingPayload = z.object({
  config_key: fields.text(100).optional(),
  config_value: z.union([z.string().max(255), z.number()]).optional(),
})

export const followPayload = z.looseObject({
  symbols: z.array(z.union([z.string(), z.object({ symbol: z.string(), exchange: z.string() })])),
  mode: z.union([z.enum(['LTP', 'Quote', 'Depth']), z.int().min(1).max(3)]).optional(),
})
