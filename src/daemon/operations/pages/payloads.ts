import { z } from 'zod'
import { fields } from '../../../core/validation/index.js'
import { queueQuery } from '../control/payloads.js'

const id = fields.integer().refine((order) => order >= 1, 'Must be the id of an order.')

/** The queue, and one order of it besides, whatever its status. */
export const queuePageQuery = queueQuery.extend({
  order: id.optional().meta({ description: 'An order to return besides the list, as data.decided.' }),
  confirm: z
    .union([z.literal('all'), id])
    .optional()
    .meta({ description: 'The order, or all, whose approval data.plan describes.' }),
})
