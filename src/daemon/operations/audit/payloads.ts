import { z } from 'zod'
import { fields } from '../../../core/validation/index.js'
import { csvFile, instant } from '../common/payloads.js'

const row = fields.integer().refine((seq) => seq >= 0, 'Must be the number of a row, or 0.')

const filter = {
  since: instant.optional(),
  until: instant.optional(),
  actor: fields.text(255).optional().meta({ description: 'A user; svc is the service itself.' }),
  act: fields
    .text(100)
    .optional()
    .meta({ description: 'An act, or a group: risk stands for risk.set, too.' }),
  search: fields.text(200).optional().meta({ description: 'In any column but the seal.' }),
}

export const auditQuery = z.object({
  ...filter,
  limit: fields
    .integer()
    .refine((limit) => limit >= 1 && limit <= 1000, 'Must be between 1 and 1000.')
    .default(100),
  before: row.optional().meta({ description: 'The number of the last row of the page before this one.' }),
  after: row.optional().meta({ description: 'The number of the newest known row: only newer rows.' }),
})

export const auditExportQuery = z.object({
  ...filter,
  format: fields.oneOf(['csv', 'jsonl']).default('csv'),
  ...csvFile,
})

export const auditVerifyQuery = z.object({
  head: fields
    .text(80)
    .regex(/^\d{1,15}:[\w-]{1,60}$/, 'Must be the head of an earlier check.')
    .optional()
    .meta({ description: 'The head of an earlier check: the trail must still contain it.' }),
})
