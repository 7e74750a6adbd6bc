import { z } from 'zod'

/** Of operations that take nothing but a credential. */
export const nothing = z.strictObject({})
