import type { RouteAnswer } from '../../../client/endpoints.js'
import type { Input } from '../../framework/command/command.js'
import type { ArgumentSpec } from '../../framework/command/description.js'
import type { OptionSpec } from '../../framework/command/option.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { nearest } from '../../framework/nearest.js'

/** The argument for a workflow: its id, key or name. */
export const WORKFLOW: ArgumentSpec = {
  syntax: '<workflow>',
  summary: 'id, key (the id in its file) or name',
  complete: 'workflows',
}
export const WORKFLOWS: ArgumentSpec = { ...WORKFLOW, syntax: '<workflow...>', summary: 'ids, keys or names' }

export const EXPECT_VERSION: OptionSpec = {
  flags: '--expect <version>',
  summary: 'refuse (exit 5) if the workflow has another version now',
  complete: 'versions',
}

/** Returns the version of `--expect`. @throws a usage error for a text that is none, and for one with several workflows */
export function expectedVersion(input: Input, workflows = 1): { expect?: number } {
  const word = input.text('expect')
  if (word === undefined) return {}
  if (!/^\d{1,9}$/.test(word))
    throw usageError(`--expect ${word} is not a version.`, 'List them: svc flow history')
  if (workflows > 1) throw usageError('--expect is for one workflow.', 'Name only that one.')
  return { expect: Number(word) }
}

/** Returns the id of a workflow: digits are an id; a key has priority over a name. */
export async function findId(context: Context, word: string): Promise<string> {
  if (/^\d+$/.test(word)) return word
  const { body: rows } = await context.read('GET /flow/api/workflows')
  const [found, ...others] =
    [
      rows.filter((row) => row.file_key === word),
      rows.filter((row) => row.name === word),
      rows.filter((row) => row.name.toLowerCase() === word.toLowerCase()),
    ].find((some) => some.length > 0) ?? []
  if (found === undefined) throw unknown(word, rows)
  if (others.length === 0) return String(found.id)
  const ids = [found, ...others]
    .map(({ id }) => id)
    .sort((a, b) => a - b)
    .join(', ')
  throw usageError(`Several workflows have the name "${word}".`, `Give the id: one of ${ids}.`)
}

/** Returns the path of a request about the workflow that the first argument names. */
export async function workflowOf(input: Input, context: Context) {
  return { params: { id: await findId(context, input.required(0)) } }
}

function unknown(word: string, rows: RouteAnswer<'GET /flow/api/workflows'>): CliError {
  const names = rows.flatMap(({ file_key: key, name }) => [...(key === null ? [] : [key]), name])
  const near = nearest(word, names)
  const hint = near === undefined ? 'List them: svc flow list' : `Did you mean "${near}"?`
  return new CliError(EXIT.notFound, `There is no workflow "${word}".`, { code: 'not_found', hint })
}
