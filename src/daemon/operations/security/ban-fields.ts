import { z } from 'zod'

const NO_NUMBER = 'Invalid numeric value provided'
export const YEAR_HOURS = 8760

/** A whole number, or the same as text, with the error text for one that is out of range. */
export const whole = (least: number, most: number, text: string) =>
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
