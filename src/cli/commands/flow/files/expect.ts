import type { RouteAnswer } from '../../../../client/endpoints.js'
import type { OptionSpec } from '../../../framework/command/option.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { type Checkout, isDirtyCommit } from '../../../io/checkout.js'

export const EXPECT: OptionSpec = {
  flags: '--expect <id=n>',
  summary: 'the version to overwrite: N for one file, otherwise ID=N; repeatable. Any other is refused',
  repeatable: true,
}
export const COMMIT: OptionSpec = {
  flags: '--commit <sha>',
  summary:
    "commit to store with each version (default: HEAD of the files' repository, with -dirty if they are not as in it)",
}

type Stored = NonNullable<RouteAnswer<'POST /flow/api/plan'>['data'][number]['stored']>

/** The facts of a planned row that decide whether it may overwrite what is stored. */
interface PlannedRow {
  key: string
  action: 'create' | 'update' | 'delete' | 'none' | 'orphan'
  stored: Stored | null
}

const SHORT_COMMIT = 10

/** Returns the versions that the user names, by key. @throws a usage error for a version of no row */
export function givenVersions(words: readonly string[], rows: readonly PlannedRow[]): Map<string, number> {
  const own = rows.filter(({ action }) => action !== 'orphan' && action !== 'delete')
  return new Map(
    words.map((word) => {
      const [, key = own.length === 1 ? own[0]?.key : undefined, version] =
        /^(?:([a-z0-9-]+)=)?(\d{1,9})$/.exec(word) ?? []
      if (version === undefined) throw usageError(`--expect ${word} is not a version.`, 'Example: --expect 4')
      if (key === undefined) {
        throw usageError('--expect N needs exactly one file.', 'Name its id: --expect ID=N')
      }
      if (rows.some((row) => row.key === key)) return [key, Number(version)] as const
      throw usageError(`--expect ${word}: no file has the id ${key}.`)
    }),
  )
}

/**
 * Returns why each row must not overwrite what is stored, by key: it is a version that this checkout does not know, or
 * one of another user.
 */
export async function objectionsTo(
  rows: readonly PlannedRow[],
  checkout: Checkout,
): Promise<Map<string, string>> {
  const objections = new Map<string, string>()
  for (const { action, key, stored } of rows) {
    if (stored === null || (action !== 'update' && action !== 'delete')) continue
    const objection = await objectionTo(stored, checkout)
    if (objection !== undefined) objections.set(key, objection)
  }
  return objections
}

async function objectionTo(stored: Stored, checkout: Checkout): Promise<string | undefined> {
  const { by, by_you: isYours, commit, origin, version } = stored
  if (origin === 'apply' && commit !== null) {
    const isKnown = await checkout.has(commit)
    if (isKnown === false) {
      const short = `${commit.slice(0, SHORT_COMMIT)}${isDirtyCommit(commit) ? '-dirty' : ''}`
      return `version ${version} was applied by ${by} from commit ${short}, which is not in this checkout`
    }
    if (isKnown && !isDirtyCommit(commit)) return undefined
  }
  return isYours ? undefined : `version ${version} is by ${by}, not by you`
}

/**
 * Returns the versions that a plan has seen, so that the daemon refuses to apply it when another one has come since: 0 for what it
 * creates, and those it leaves as they are, too.
 * @throws CliError for a version that the user must name first
 */
export async function expectedVersions(
  rows: readonly PlannedRow[],
  given: ReadonlyMap<string, number>,
  checkout: Checkout,
): Promise<Record<string, number>> {
  const objections = await objectionsTo(
    rows.filter(({ key }) => !given.has(key)),
    checkout,
  )
  if (objections.size > 0) throw refused(rows, objections)
  const seen = rows.flatMap(({ action, key, stored }): [string, number][] =>
    action === 'orphan' ? [] : [[key, stored?.version ?? 0]],
  )
  return Object.fromEntries([...seen, ...given])
}

function refused(rows: readonly PlannedRow[], objections: ReadonlyMap<string, string>): CliError {
  const texts = [...objections].map(([key, text]) => `${key}: ${text}`)
  const named = rows.flatMap(({ key, stored }) =>
    objections.has(key) && stored ? [`--expect ${key}=${stored.version}`] : [],
  )
  const hint = `Get that change first (git pull), or overwrite it: ${named.join(' ')}`
  return new CliError(EXIT.refused, `Nothing was applied. ${texts.join('; ')}.`, { code: 'conflict', hint })
}
