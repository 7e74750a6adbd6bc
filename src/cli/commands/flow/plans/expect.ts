import type { OptionSpec } from '../../../framework/command/option.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { type Checkout, isDirtyCommit } from '../../../io/checkout.js'
import { KINDS, nameOf, type PlannedRow, wordOf } from './rows.js'

export const EXPECT: OptionSpec = {
  flags: '--expect <id=n>',
  summary: 'the version to overwrite: N for one file, otherwise ID=N; repeatable. Any other is refused',
  repeatable: true,
}
type Stored = NonNullable<PlannedRow['stored']>

const SHORT_COMMIT = 10
const GIVEN = new RegExp(`^(?:(?:(${KINDS.join('|')}):)?([a-z0-9-]+)=)?(\\d{1,9})$`)

/** Returns the versions that the user names, by the name of the row. @throws a usage error for a version of no row */
export function givenVersions(words: readonly string[], rows: readonly PlannedRow[]): Map<string, number> {
  return new Map(words.map((word) => givenVersion(word, rows)))
}

function givenVersion(word: string, rows: readonly PlannedRow[]): [string, number] {
  const own = rows.filter(({ action }) => action !== 'orphan' && action !== 'delete')
  const [, kind, key, version] = GIVEN.exec(word) ?? []
  if (version === undefined) throw usageError(`--expect ${word} is not a version.`, 'Example: --expect 4')
  if (key === undefined && own.length !== 1) {
    throw usageError('--expect N needs exactly one file.', 'Name its id: --expect ID=N')
  }
  const [found, other] =
    key === undefined ? own : rows.filter((row) => row.key === key && (kind ?? row.kind) === row.kind)
  if (found === undefined) throw usageError(`--expect ${word}: no file has the id ${key}.`)
  if (other !== undefined) {
    throw usageError(
      `--expect ${word}: a workflow and a strategy have the id ${key}.`,
      `Say which one is meant: --expect workflow:${key}=${version}`,
    )
  }
  return [nameOf(found), Number(version)]
}

/** @throws CliError for a version that the user names and the daemon does not have, as an apply is refused */
export function requireVersions(rows: readonly PlannedRow[], given: ReadonlyMap<string, number>): void {
  const wrong = rows.flatMap((row) => {
    const [named, version] = [given.get(nameOf(row)), row.stored?.version ?? 0]
    if (named === undefined || named === version) return []
    return [`${wordOf(row, rows)} has version ${version}, not ${named}`]
  })
  if (wrong.length > 0) throw new CliError(EXIT.refused, `${wrong.join('; ')}.`, { code: 'conflict' })
}

/**
 * Returns why each row must not overwrite what is stored, by its name: it is a version that this checkout does not know, or
 * one of another user.
 */
export async function objectionsTo(
  rows: readonly PlannedRow[],
  checkout: Checkout,
): Promise<Map<string, string>> {
  const objections = new Map<string, string>()
  for (const row of rows) {
    const { action, stored } = row
    if (stored === null || (action !== 'update' && action !== 'delete')) continue
    const objection = await objectionTo(stored, checkout)
    if (objection !== undefined) objections.set(nameOf(row), objection)
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
 * Returns the versions that a change may overwrite: those that the plan has seen, or those that the user names. The daemon
 * refuses the change when another one is there.
 * @throws CliError for a version that the user must name first
 */
export async function agreedVersions(
  rows: readonly PlannedRow[],
  given: ReadonlyMap<string, number>,
  checkout: Checkout,
): Promise<ExpectedVersions> {
  const objections = await objectionsTo(
    rows.filter((row) => !given.has(nameOf(row))),
    checkout,
  )
  if (objections.size > 0) throw refused(rows, objections)
  return seenVersions(rows, given)
}

/** The versions that a change may overwrite, by the name of the row. */
export type ExpectedVersions = ReadonlyMap<string, number>

/** Returns the versions that a plan has seen: 0 for what it creates, and those it leaves as they are, too. */
export function seenVersions(
  rows: readonly PlannedRow[],
  given: ExpectedVersions = new Map(),
): ExpectedVersions {
  const seen = rows.flatMap((row): [string, number][] =>
    row.action === 'orphan' ? [] : [[nameOf(row), row.stored?.version ?? 0]],
  )
  return new Map([...seen, ...given])
}

function refused(rows: readonly PlannedRow[], objections: ReadonlyMap<string, string>): CliError {
  const objected = rows.filter((row) => objections.has(nameOf(row)))
  const texts = objected.map((row) => `${wordOf(row, rows)}: ${objections.get(nameOf(row))}`)
  const named = objected.flatMap((row) =>
    row.stored ? [`--expect ${wordOf(row, rows)}=${row.stored.version}`] : [],
  )
  const hint = `Get that change first (git pull), or overwrite it: ${named.join(' ')}`
  return new CliError(EXIT.refused, `Nothing was applied. ${texts.join('; ')}.`, { code: 'conflict', hint })
}
