import { fields } from '../../../core/validation/index.js'

/** The id of a request in the approval queue. */
export const approvalId = fields.integer().refine((id) => id >= 1, 'Must be the id of an order.')
