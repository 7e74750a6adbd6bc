import { z } from 'zod'
import { fields, isEmailAddress } from '../../../core/validation/index.js'

/** A name or address of a host, or nothing. */
const host = fields
  .text(255)
  .transform((text) => text.trim())
  .refine((text) => /^[a-z0-9.:-]*$/i.test(text), 'Must be a host name or an IP address.')
const line = fields
  .text(255)
  .transform((text) => text.trim())
  .refine((text) => !/\p{Cc}/u.test(text), 'Must not contain control characters.')
const port = fields
  .integer()
  .refine((value) => value >= 1 && value <= 65_535, 'Must be between 1 and 65535.')
  .meta({ minimum: 1, maximum: 65_535 })

export const smtpPayload = z.strictObject({
  smtp_server: host.optional(),
  smtp_port: port.optional(),
  smtp_username: line.optional(),
  smtp_password: fields.text(255).optional(),
  smtp_use_tls: fields.boolean().optional(),
  smtp_from_email: line
    .refine((text) => text === '' || isEmailAddress(text), 'Must look like name@domain.tld.')
    .optional(),
  smtp_helo_hostname: host.optional(),
})

export const testMailPayload = z.strictObject({ test_email: fields.text(254).optional() })
