import type { RouteAnswer } from '../../../client/endpoints.js'
import type { ArgumentSpec } from '../../framework/command.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { nearest } from '../../framework/nearest.js'

export type ListedStrategy = RouteAnswer<'GET /strategy/api/strategies'>['data'][number]

/** The argument for a strategy: its id, key or name. */
export const STRATEGY: ArgumentSpec = {
  syntax: '<strategy>',
  summary: 'id, key (the id in its file) or name',
  complete: 'strategyNames',
}

/** Returns the id of a strategy: digits are an id; a key has priority over a name. */
export async function findId(context: Context, word: string): Promise<string> {
  if (/^\d+$/.test(word)) return word
  const { data: rows } = (await context.read('GET /strategy/api/strategies')).body
  const found =
    rows.find((row) => row.file_key === word) ??
    rows.find((row) => row.name === word) ??
    rows.find((row) => row.name.toLowerCase() === word.toLowerCase())
  if (found) return String(found.id)
  const names = rows.flatMap(({ file_key: key, name }) => [...(key === null ? [] : [key]), name])
  const near = nearest(word, names)
  const hint = near === undefined ? 'List them: svc strategy list' : `Did you mean "${near}"?`
  throw new CliError(EXIT.notFound, `There is no strategy "${word}".`, { code: 'not_found', hint })
}
