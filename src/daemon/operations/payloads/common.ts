import { z } from 'zod'

/** The payload of operations that take only a credential. */
export const noFields = z.strictObject({})
