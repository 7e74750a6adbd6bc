import type { OptionSpec } from '../../../framework/command/option.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { type Checkout, isDirtyCommit } from '../../../io/checkout.js'
import { isReactivated, KINDS, nameOf, type PlannedRow, wordOf } from './rows.js'

export const EXPECT: OptionSpec = {
  flags: '--expect <id=n>',
  summary: 'the version to overwrite: N for one file, otherwise ID=N; repeatable. Any other is refused',
  repeatable: true,
}
type Stored = NonNullable<PlannedRow['stored']>

/** The two ways on for a script that is refused: the safe one, and what `--expect` does. The first that fits is named. */
const OR = {
  'Get that change first (git pull)': 'overwrite it',
  'Take that change into the file': 'overwrite it',
  'Leave --activate out': 'activate it again',
} as const

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

/** Why a row must not simply overwrite what is stored, or activate it. */
export interface Objection {
  text: string
  /** True if a terminal may agree when it is asked. Otherwise only `--expect` does. */
  isAsked: boolean
  /** The safe way on for a script that is refused. */
  instead: keyof typeof OR
}
export type Objections = ReadonlyMap<string, Objection>

/**
 * Returns why each row must not overwrite what is stored, by its name: it was changed here since the file was last applied,
 * it is a version that this checkout does not know, or one of another user; or why it must not be activated.
 */
export async function objectionsTo(
  rows: readonly PlannedRow[],
  checkout: Checkout,
  activates: boolean,
): Promise<Objections> {
  const objections = new Map<string, Objection>()
  for (const row of rows) {
    const overwrites = await overwritingObjection(row, checkout)
    const again = activates && isReactivated(row) ? DEACTIVATED : undefined
    const objection =
      overwrites && again
        ? { ...overwrites, text: `${overwrites.text}, and ${again.text}` }
        : (overwrites ?? again)
    if (objection) objections.set(nameOf(row), objection)
  }
  return objections
}

/** It runs again what somebody stopped, perhaps for a reason that the file does not know. */
const DEACTIVATED: Objection = {
  text: 'was deactivated here',
  isAsked: true,
  instead: 'Leave --activate out',
}

async function overwritingObjection(row: PlannedRow, checkout: Checkout): Promise<Objection | undefined> {
  const { action, stored } = row
  if (stored === null || (action !== 'update' && action !== 'delete')) return undefined
  // A new id alone changes nothing of what somebody wrote.
  const isUndone = row.drifted && (action === 'delete' || row.changes.length > 0)
  return isUndone ? changedHere(stored) : objectionTo(stored, checkout)
}

/** What somebody changed at the daemon is not in the file: applying it would undo the change, for example a rollback. */
function changedHere({ at, by, by_you: isYours, origin, rolled_back_to: to, version }: Stored): Objection {
  const act = to === null ? (CHANGES[origin] ?? 'changed') : `rolled back to version ${to}`
  const text = `was changed here since this file was last applied (${act} by ${by} at ${at}, version ${version})`
  return { text, isAsked: isYours, instead: 'Take that change into the file' }
}

const CHANGES: Readonly<Record<string, string>> = {
  import: 'imported',
  replace: 'replaced',
  rollback: 'rolled back',
}

const PULL = 'Get that change first (git pull)'

async function objectionTo(stored: Stored, checkout: Checkout): Promise<Objection | undefined> {
  const { by, by_you: isYours, commit, origin, version } = stored
  if (origin === 'apply' && commit !== null) {
    const isKnown = await checkout.has(commit)
    if (isKnown === false) {
      const short = `${commit.slice(0, SHORT_COMMIT)}${isDirtyCommit(commit) ? '-dirty' : ''}`
      const text = `version ${version} was applied by ${by} from commit ${short}, which is not in this checkout`
      return { text, isAsked: false, instead: PULL }
    }
    if (isKnown && !isDirtyCommit(commit)) return undefined
  }
  return isYours
    ? undefined
    : { text: `version ${version} is by ${by}, not by you`, isAsked: false, instead: PULL }
}

/**
 * Returns the versions that a change may overwrite: those that the plan has seen, or those that the user names. The daemon
 * refuses the change when another one is there.
 * @param isShown whether the user sees each change before it is made: on a terminal that asks, and in a saved plan
 * @throws CliError for a version that the user must name first
 */
export async function agreedVersions(
  rows: readonly PlannedRow[],
  given: ReadonlyMap<string, number>,
  checkout: Checkout,
  { activates, isShown }: { activates: boolean; isShown: boolean },
): Promise<ExpectedVersions> {
  const unnamed = rows.filter((row) => !given.has(nameOf(row)))
  const objections = [...(await objectionsTo(unnamed, checkout, activates))].filter(
    ([, { isAsked }]) => !(isShown && isAsked),
  )
  if (objections.length > 0) throw refused(rows, new Map(objections))
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

function refused(rows: readonly PlannedRow[], objections: Objections): CliError {
  const objected = rows.filter((row) => objections.has(nameOf(row)))
  const texts = objected.map((row) => `${wordOf(row, rows)}: ${objections.get(nameOf(row))?.text}`)
  const named = objected.flatMap((row) =>
    row.stored ? [`--expect ${wordOf(row, rows)}=${row.stored.version}`] : [],
  )
  const [[instead, act] = []] = Object.entries(OR).filter(([way]) =>
    objected.some((row) => objections.get(nameOf(row))?.instead === way),
  )
  const hint = `${instead}, or ${act}: ${named.join(' ')}`
  return new CliError(EXIT.refused, `Nothing was applied. ${texts.join('; ')}.`, { code: 'conflict', hint })
}
