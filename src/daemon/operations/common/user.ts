import { z } from 'zod'
import { ORDER_MODES } from '../../../core/identity/index.js'
import { text } from './answers.js'

/** The modes and the broker of a user. */
export const userFields = {
  order_mode: z.enum(ORDER_MODES),
  analyze_mode: z.boolean(),
  broker: text,
  broker_available: z.boolean(),
  broker_connected: z.boolean(),
}
