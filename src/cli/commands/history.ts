import type { Input } from '../framework/command/command.js'
import type { OptionSpec } from '../framework/command/option.js'
import type { Context } from '../framework/context.js'
import { usageError } from '../framework/errors.js'
import { parseInstant } from '../output/text/instant.js'
import { symbolOf } from './market/symbols.js'

/** The start of a period, for every command that takes a time. */
export const SINCE: OptionSpec = {
  flags: '--since <time>',
  summary: 'from then on: 2h, 3d, today, 09:15, 2026-11-20 or 2026-11-20T09:15',
}

/** The options of lists that have a history. */
export const PERIOD_OPTIONS: readonly OptionSpec[] = [
  SINCE,
  { flags: '--until <time>', summary: 'up to then; a date includes its day' },
  { flags: '--limit <n>', summary: 'maximum number of rows' },
]
export const ORDER_OPTIONS: readonly OptionSpec[] = [
  { flags: '--symbol <symbol>', summary: 'only this symbol: SBIN or NSE:SBIN', complete: 'symbols' },
  { flags: '--strategy <name>', summary: 'only this strategy', complete: 'strategies' },
]

/** The rows that a list is limited to, as the user asked. */
export interface RowFilter {
  since: string | undefined
  until: string | undefined
  limit: number | undefined
  symbol: string | undefined
  exchange: string | undefined
  strategy: string | undefined
}

/** Reads `--since` and `--until` as epoch milliseconds; the end is exclusive. @throws a usage error that names the option */
export function periodOf(
  { io }: Context,
  input: Input,
): { since: number | undefined; until: number | undefined } {
  const now = io.now()
  const instant = (name: 'since' | 'until') => {
    const text = input.text(name)
    return text === undefined ? undefined : parseInstant(text, `--${name}`, now, name === 'until')
  }
  const [since, until] = [instant('since'), instant('until')]
  if (since === undefined || until === undefined || since < until) return { since, until }
  throw usageError('--since must be before --until.')
}

/** Reads the options of a list with a history. @throws a usage error that names the option */
export function rowFilterOf(context: Context, input: Input): RowFilter {
  const { since, until } = periodOf(context, input)
  const limit = input.whole('limit')
  const word = input.text('symbol')
  const { symbol, exchange } = word === undefined ? {} : symbolOf(word, undefined)
  return { since: iso(since), until: iso(until), limit, symbol, exchange, strategy: input.text('strategy') }
}

const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

/** Returns whether the user asked for more than the current session has. */
export function reachesBack({ since, strategy, until }: RowFilter): boolean {
  return since !== undefined || until !== undefined || strategy !== undefined
}
