import { BOOK_OPERATIONS } from './books.js'
import { MODE_OPERATIONS } from './mode.js'

/** The operations of the account (docs/api.md, "Account"). */
export const ACCOUNT_OPERATIONS = { ...BOOK_OPERATIONS, ...MODE_OPERATIONS }
