import { DAY_MS } from '../time/index.js'

/** The time for which the result of an idempotency key is kept, for orders and for webhook calls. */
export const KEY_LIFETIME_MS = DAY_MS
