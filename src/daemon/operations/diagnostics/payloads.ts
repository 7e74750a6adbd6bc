import { z } from 'zod'
import { fields } from '../../../core/validation/index.js'

const MOST = 200

/** A number of rows, moved into its range. */
const limit = (usual: number) =>
  fields
    .integer()
    .transform((rows) => Math.min(MOST, Math.max(1, rows)))
    .meta({ type: 'integer', description: `1 to ${MOST}; a number outside counts as the nearest one.` })
    .default(usual)

export const errorsQuery = z.object({
  limit: limit(100),
  level: z.string().optional().meta({ description: 'ERROR, CRITICAL, WARNING, INFO or DEBUG.' }),
  q: fields
    .text(MOST)
    .optional()
    .meta({ description: 'Text of an entry, ignoring case, up to 200 characters.' }),
})
export const errorGroupsQuery = z.object({ limit: limit(50) })

/** The parts that are too long are cut, so that a page can always report its error. */
export const clientErrorPayload = z.object({
  message: z.string().meta({ description: 'Up to 2,000 characters are kept.' }),
  level: z
    .unknown()
    .optional()
    .meta({ type: 'string', description: 'ERROR or WARN; anything else counts as ERROR.' }),
  stack: z.string().nullish().meta({ description: 'Up to 20,000 characters are kept.' }),
  url: z.string().nullish().meta({ description: 'Kept without its query.' }),
  component_stack: z.string().nullish(),
  user_agent: z.string().nullish(),
})

export const reportQuery = z.object({
  format: z.string().optional().meta({ description: 'md or txt; anything else counts as md.' }),
})
