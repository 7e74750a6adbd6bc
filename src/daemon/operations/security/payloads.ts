import { z } from 'zod'
import { canonicalAddress, clientAddress } from '../../../core/security/index.js'
import { fields } from '../../../core/validation/index.js'

const NO_ADDRESS = 'IP address is required'
const NO_HOST = 'Host is required'
const NO_NUMBER = 'Invalid numeric value provided'
const DURATION = 'Ban duration must be Permanent (0) or between 1 hour and 1 year'
const YEAR_HOURS = 8760

/** An address in any form, or a network as the list of bans shows it. */
const address = z
  .string(NO_ADDRESS)
  .trim()
  .min(1, NO_ADDRESS)
  .refine((text) => clientAddress(text) !== undefined, {
    error: 'Invalid IP address format',
    when: ({ issues }) => issues.length === 0,
  })

/** Host names: labels of letters, digits and hyphens, joined by dots. An address is a host, too. */
const HOST = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i

const host = z
  .string(NO_HOST)
  .trim()
  .min(1, NO_HOST)
  .refine((text) => HOST.test(text) || canonicalAddress(text) !== undefined, {
    error: 'Invalid hostname format',
    when: ({ issues }) => issues.length === 0,
  })

/** A whole number, or the same as text, with the error text for one that is out of range. */
const whole = (least: number, most: number, text: string) =>
  z
    .unknown()
    .transform((value, context) => {
      const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
      if (typeof number === 'number' && Number.isInteger(number)) {
        if (number >= least && number <= most) return number
        context.addIssue({ code: 'custom', message: text })
      } else context.addIssue({ code: 'custom', message: NO_NUMBER })
      return z.NEVER
    })
    .meta({ type: ['integer', 'string'], minimum: least, maximum: most })

const ownAddress = z
  .boolean('Not a valid boolean.')
  .meta({
    description:
      'True to ban the address that the request comes from, which is refused otherwise: the caller is locked out.',
  })
  .optional()
export const banPayload = z.strictObject({
  ip_address: address,
  reason: fields.text(150).optional(),
  duration_hours: whole(1, YEAR_HOURS, 'Ban duration must be between 1 hour and 1 year').optional(),
  permanent: z.boolean('Not a valid boolean.').optional(),
  own_address: ownAddress,
})
export const addressPayload = z.strictObject({ ip_address: address })
export const banHostPayload = z.strictObject({
  host,
  own_address: ownAddress,
  reason: fields.text(100).optional(),
  permanent: z.boolean('Not a valid boolean.').optional(),
})
export const securitySettingsPayload = z.strictObject({
  auto_ban_enabled: z.boolean('Not a valid boolean.').optional(),
  threshold_404: whole(1, 1000, '404 threshold must be between 1 and 1000').optional(),
  ban_duration_404: whole(0, YEAR_HOURS, DURATION).optional(),
  threshold_api: whole(1, 100, 'API threshold must be between 1 and 100').optional(),
  ban_duration_api: whole(0, YEAR_HOURS, DURATION).optional(),
  repeat_offender_limit: whole(1, 10, 'Repeat offender limit must be between 1 and 10').optional(),
})
