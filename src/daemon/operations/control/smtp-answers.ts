import { z } from 'zod'
import { count, message, text } from '../common/answers.js'

/** The settings of the mail server. The password is never part of them. */
export const smtp = z.strictObject({
  smtp_server: text.nullable(),
  smtp_port: count.nullable(),
  smtp_username: text.nullable(),
  smtp_password: z.boolean().meta({ description: 'Whether a password is stored.' }),
  smtp_use_tls: z.boolean(),
  smtp_from_email: text.nullable(),
  smtp_helo_hostname: text.nullable(),
})
export const testMail = z.strictObject({ success: z.literal(true), message })
export const debugMail = z.strictObject({ success: z.boolean(), message, details: z.array(text) })
