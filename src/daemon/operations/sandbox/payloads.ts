import { z } from 'zod'
import { fields } from '../../../core/validation/index.js'

export const settingPayload = z.object({
  config_key: fields.text(100).optional(),
  config_value: z.union([z.string().max(255), z.number()]).optional(),
})
