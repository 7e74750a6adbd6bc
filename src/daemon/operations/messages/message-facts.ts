import { z } from 'zod'
import { MAX_TEXT } from '../../../core/notifications/schema.js'
import { fields } from '../../../core/validation/index.js'
import { count, message, ok, text } from '../common/answers.js'
import { keyedChange, signedIn } from '../running.js'

export const changes = keyedChange('Messages', 'telegram')
export const signed = signedIn('Messages', 'api')

export const json = ['validation', 'too_large', 'unsupported_media'] as const

export const messageText = fields
  .text(Number.POSITIVE_INFINITY)
  .max(MAX_TEXT, `Message must not exceed ${MAX_TEXT} characters`)
  .optional()

/** The result of sending a message. The forms with `queued` and `data` are those of WhatsApp. */
export const messageSent = z.union([
  ok({ message }),
  ok({ message, queued: count }),
  ok({
    message,
    data: z.strictObject({
      sent: z.array(text),
      failed: z.array(z.strictObject({ to: text, error: text })),
      skipped: count,
    }),
  }),
])

export const instantOf = (ms: number): string => new Date(ms).toISOString()
