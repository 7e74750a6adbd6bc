import { STRATEGY_BOOK_OPERATIONS } from './books.js'
import { WEBHOOK_CALL_OPERATIONS } from './calls.js'
import { STRATEGY_DOCUMENT_OPERATIONS } from './documents.js'
import { STRATEGY_FILE_OPERATIONS } from './files.js'
import { KEYED_STRATEGY_OPERATIONS } from './keyed.js'
import { STRATEGY_RUN_OPERATIONS } from './runs.js'
import { STRATEGY_VERSION_OPERATIONS } from './versions.js'

/** The operations of strategies (docs/strategies.md). */
export const STRATEGY_OPERATIONS = {
  ...KEYED_STRATEGY_OPERATIONS,
  ...STRATEGY_DOCUMENT_OPERATIONS,
  ...STRATEGY_RUN_OPERATIONS,
  ...STRATEGY_BOOK_OPERATIONS,
  ...WEBHOOK_CALL_OPERATIONS,
  ...STRATEGY_FILE_OPERATIONS,
  ...STRATEGY_VERSION_OPERATIONS,
}
