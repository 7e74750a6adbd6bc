import { z } from 'zod'
import { fields } from '../../../core/validation/index.js'
import { csvFile, instant } from '../common/payloads.js'

const rowId = fields.integer().refine((id) => id >= 1, 'Must be the id of a row.')
const period = { since: instant.optional(), until: instant.optional() }
const page = {
  limit: fields
    .integer()
    .refine((limit) => limit >= 1 && limit <= 1000, 'Must be between 1 and 1000.')
    .default(100),
  before: rowId.optional().meta({ description: 'The id of the last row of the page before this one.' }),
  after: fields
    .integer()
    .refine((id) => id >= 0, 'Must be the id of a row, or 0.')
    .optional()
    .meta({ description: 'The id of the newest known row: only newer rows.' }),
}

export const trafficFilter = z.object({
  ...period,
  search: fields.text(200).optional().meta({ description: 'In path, address, host, user or error.' }),
  client_ip: fields.text(50).optional(),
  method: fields.text(10).optional(),
  status_code: fields.integer().optional(),
  user: fields.text().optional(),
  errors: z.enum(['true', 'false']).optional().meta({ description: 'true: only status 400 and above.' }),
})
export const trafficQuery = trafficFilter.extend(page)
export const trafficExportQuery = trafficFilter.extend(csvFile)

export const latencyFilter = z.object({
  ...period,
  search: fields.text(200).optional().meta({ description: 'In order id, symbol, type, broker or error.' }),
  broker: fields.text(50).optional(),
  order_type: fields.text(20).optional(),
  status: fields.oneOf(['SUCCESS', 'FAILED']).optional(),
})
export const latencyQuery = latencyFilter.extend(page)
export const latencyExportQuery = latencyFilter.extend(csvFile)
