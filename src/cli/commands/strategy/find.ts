import type { RouteAnswer } from '../../../client/endpoints.js'
import { visible } from '../../../views/table/cells.js'
import type { Input } from '../../framework/command/command.js'
import type { ArgumentSpec } from '../../framework/command/description.js'
import type { OptionSpec } from '../../framework/command/option.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { nearest } from '../../framework/nearest.js'

type Row = RouteAnswer<'GET /strategy/api/strategies'>['data'][number]

/** The argument for a strategy: its id, key or name. */
export const STRATEGY: ArgumentSpec = {
  syntax: '<strategy>',
  summary: 'id, key (the id in its file) or name',
  complete: 'strategyNames',
}

/**
 * Returns the id of a strategy by its id, key or name. The case of a name counts only where it decides.
 * @throws CliError for a word that is the id, key or name of several strategies
 */
export async function findId(context: Context, word: string): Promise<string> {
  const { data: rows } = (await context.read('GET /strategy/api/strategies')).body
  const exact = rows.filter((row) => [String(row.id), row.file_key, row.name].includes(word))
  const found =
    exact.length > 0 ? exact : rows.filter(({ name }) => name.toLowerCase() === word.toLowerCase())
  const [one, another] = found
  if (one && another) throw ambiguous(word, found)
  if (one) return String(one.id)
  // The daemon says that there is no such id.
  if (/^\d+$/.test(word)) return word
  const names = rows.flatMap(({ file_key: key, name }) => [...(key === null ? [] : [key]), name])
  const near = nearest(word, names)
  const hint = near === undefined ? 'List them: svc strategy list' : `Did you mean "${near}"?`
  throw new CliError(EXIT.notFound, `There is no strategy "${word}".`, { code: 'not_found', hint })
}

/** The option for the version that a command may change. */
export const EXPECT_VERSION: OptionSpec = {
  flags: '--expect <version>',
  summary: 'refuse (exit 5) if the strategy has another version now',
  complete: 'strategyVersions',
}

/** Returns a version that the user typed. @throws a usage error for a text that is none */
export function versionIn(word: string, option = ''): number {
  if (/^[1-9]\d{0,8}$/.test(word)) return Number(word)
  const said = option === '' ? `"${word}" is not a version number.` : `${option} ${word} is not a version.`
  throw usageError(said, 'List them: svc strategy history')
}

/** A request about one strategy. */
export interface OfStrategy {
  request: { params: { id: string } }
}

/** Returns the path of a request about the strategy that the first argument names. */
export async function strategyOf(input: Input, context: Context) {
  return { params: { id: await findId(context, input.required(0)) } }
}

function ambiguous(word: string, found: readonly Pick<Row, 'file_key' | 'id' | 'name'>[]): CliError {
  const each = found.map(({ file_key: key, id, name }) => {
    const facts = [`id ${id}`, ...(key === null ? [] : [`key ${visible(key)}`])]
    return `"${visible(name)}" (${facts.join(', ')})`
  })
  return usageError(
    `"${word}" is the id, key or name of several strategies: ${each.join(' and ')}.`,
    'Use a word that only one of them has, or rename one.',
  )
}
