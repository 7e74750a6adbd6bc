import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { parseWith } from '../../../core/validation/index.js'
import type { ToolDesk } from './tool.js'

const expiryAnswer = z.object({ data: z.array(z.string()) })

/** The exchange of the contracts on underlyings of an exchange. */
const CONTRACTS: Readonly<Record<string, string>> = {
  NSE: 'NFO',
  NSE_INDEX: 'NFO',
  BSE: 'BFO',
  BSE_INDEX: 'BFO',
  MCX_INDEX: 'MCX',
}

/**
 * Returns the next expiry of the options on an underlying, as an option request takes it (24DEC26).
 * @throws ServiceError `not_found`
 */
export async function nearestExpiry(desk: ToolDesk, underlying: string, exchange: string): Promise<string> {
  const answer = await desk.ask('POST /api/v1/expiry', {
    symbol: underlying,
    exchange: CONTRACTS[exchange] ?? exchange,
    instrumenttype: 'options',
  })
  const [next] = parseWith(expiryAnswer, answer).data
  if (next === undefined) throw new ServiceError('not_found', `No options on ${underlying} are listed.`)
  return next.replaceAll('-', '')
}
