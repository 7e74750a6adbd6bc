import { z } from 'zod'
import { amount, text } from './answers.js'

/** What a terminal shows and asks before a change while orders are live. */
export const deskFields = {
  account: text.nullable().meta({ description: 'The account at the broker; null if it is not known.' }),
  confirm_live: z.union([z.enum(['never', 'always']), amount]).meta({
    description: 'When a command on a terminal asks before a change in live mode: CONFIRM_LIVE.',
  }),
}
