import { isObject, textMember } from '../../../../client/answers/json.js'
import type { Context } from '../../../framework/context.js'
import { CliError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { rowsOf, showRows } from '../results.js'
import { askedIn, type Line } from './lines.js'

/** The refusals that are about the orders of a basket; any other is about the request, the caller or the service. */
const ABOUT_ORDERS: ReadonlySet<string> = new Set([
  'refused',
  'risk_refused',
  'kill_switch',
  'price_stale',
  'not_found',
])

/**
 * Shows a basket of which every order was refused, so that the daemon has refused it as a whole: in the form of one of which
 * some were placed. So a script reads one form and one exit status, however many orders a basket or its retry has.
 * @throws the refusal, with exit 5
 */
export async function showRefused(context: Context, thrown: unknown, lines: readonly Line[]): Promise<never> {
  if (!(thrown instanceof CliError) || !ABOUT_ORDERS.has(thrown.code)) throw thrown
  const answer = isObject(thrown.response) ? thrown.response : {}
  const rule = textMember(answer, 'rule')
  const results = lines.map(({ order }) => ({
    symbol: textMember(order, 'symbol'),
    exchange: textMember(order, 'exchange'),
    status: 'error',
    message: thrown.message,
    ...(rule !== undefined && { rule }),
  }))
  const document = { status: 'error', ...answer, results }
  await showRows(context, rowsOf(results, askedIn(lines)), document)
  throw thrown.withExit(EXIT.refused)
}
