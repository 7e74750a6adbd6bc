import { z } from 'zod'
import { csvFile } from '../common/payloads.js'

const HOURS = 'Must be a whole number of hours from 1 to 168.'

/** The period that an answer covers: the last day by default, a week at most. */
export const hoursQuery = z.object({
  hours: z
    .string()
    .regex(/^\d{1,3}$/, HOURS)
    .transform(Number)
    .refine((hours) => hours >= 1 && hours <= 168, HOURS)
    .optional()
    .meta({ type: 'string', description: 'Hours, 1 to 168; 24 by default.' }),
})

export const healthExportQuery = hoursQuery.extend(csvFile)
