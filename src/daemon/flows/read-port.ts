import { z } from 'zod'
import type { ReadCall, ReadsPort } from '../../core/flows/index.js'
import type { Logger } from '../../core/logging/index.js'
import type { StrategyBook } from '../../core/orders/index.js'
import { fields, parseWith } from '../../core/validation/index.js'
import type { Caller } from '../http/caller.js'
import { BOOK_OPERATIONS } from '../operations/account/books.js'
import { CALENDAR_OPERATIONS } from '../operations/market/calendar.js'
import { OPTION_OPERATIONS } from '../operations/market/options.js'
import { PRICE_OPERATIONS } from '../operations/market/prices.js'
import { SYMBOL_OPERATIONS } from '../operations/market/symbols.js'
import type { ReadSources } from '../operations/reads.js'
import { readResult } from './call-result.js'
import { asCallResult } from './order-port.js'

export interface FlowReadsParts extends ReadSources {
  strategies: Pick<StrategyBook, 'profit'>
  log: Pick<Logger, 'error'>
}

/** The operations that nodes read. Their functions take {@link ReadSources}. */
const OPERATIONS = {
  ...PRICE_OPERATIONS,
  ...OPTION_OPERATIONS,
  ...SYMBOL_OPERATIONS,
  ...CALENDAR_OPERATIONS,
  ...BOOK_OPERATIONS,
}

/** The function of an operation that nodes read. The builders of {@link ReadSources} have checked its types. */
type Read = (
  service: ReadSources,
  input: { body: unknown; params: object },
  caller: Caller,
) => Promise<object>

/** The payload of a read that only nodes have: no API operation offers it. */
const strategyPnlPayload = z.strictObject({ strategy: fields.text() })

/**
 * Returns the port for reads of flows. It uses the payload schemas and functions of the API operations,
 * without HTTP. Failures are results, not exceptions.
 */
export function flowReads(parts: FlowReadsParts): ReadsPort {
  return {
    ask: (call, { apikey: _, ...body }, { userId }) =>
      asCallResult(parts.log, call, async () => readResult({ ...(await read(parts, call, body, userId)) })),
  }
}

/** Validates a body with the payload schema of an operation, then calls the operation's function. */
async function read(parts: FlowReadsParts, call: ReadCall, body: unknown, username: string): Promise<object> {
  if (call === 'strategypnl') {
    const { strategy } = parseWith(strategyPnlPayload, body)
    return { status: 'success', ...(await parts.strategies.profit(username, strategy)) }
  }
  const operation = OPERATIONS[`POST /api/v1/${call}`]
  const run = operation.run as Read
  const payload = operation.body && parseWith(operation.body, body)
  return run(parts, { body: payload, params: {} }, { username })
}
