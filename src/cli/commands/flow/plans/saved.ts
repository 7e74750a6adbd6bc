import { dirname } from 'node:path'
import type { SavedPlan, SavedRow } from '../../../../core/flows/files/index.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { writePrivately } from '../../../io/home.js'
import { fileText, isFolder } from '../files/folder.js'
import type { ExpectedVersions } from './expect.js'
import { isActiveBeside, nameOf, type PlannedRow, wordOf } from './rows.js'
import type { Target } from './target.js'

/** The name of a saved plan, so that it is never taken for a workflow. */
const PLAN = /\.plan\.json$/i
const NAME = 'The name of a saved plan ends with .plan.json.'
/** A plan holds its files twice at most: as content, and as changes. */
const MAX_PLAN_BYTES = 64 * 1_048_576

export const OUT = {
  flags: '--out <file>',
  summary:
    'save the plan; apply with this file applies exactly it, or refuses. The name ends with .plan.json',
}

/** Returns the saved plan that the words name; undefined if they name files. @throws a usage error for a plan among other paths */
export function planAmong(paths: readonly string[]): string | undefined {
  const plan = paths.find((path) => PLAN.test(path))
  if (plan === undefined || paths.length === 1) return plan
  throw usageError(`${plan} is a saved plan and is applied alone.`)
}

/** @throws a usage error for a saved plan among the paths of a plan: its files are in it, and may have changed since */
export function requireFiles(paths: readonly string[], noun: string): void {
  const plan = paths.find((path) => PLAN.test(path))
  if (plan === undefined) return
  throw usageError(
    `${plan} is a saved plan: a new plan is made from files.`,
    `To see it and apply exactly it: svc ${noun} apply ${plan}. A new plan: svc ${noun} plan ${noun === 'flow' ? 'flows' : 'strategies'}`,
  )
}

/** @throws a usage error for a name that is no plan's, before anything is sent */
export function requirePlanName(file: string | undefined): void {
  if (file === undefined) return
  if (!PLAN.test(file)) throw usageError(`--out ${file}: ${NAME}`, 'Example: --out monday.plan.json')
  if (!isFolder(dirname(file))) throw usageError(`--out ${file}: ${dirname(file)} is no folder.`)
}

/** Writes a plan: all at once, and only its owner can read it, because files may hold what others must not read. */
export async function savePlan(
  file: string,
  { rows, ...target }: Target & { rows: readonly SavedRow[]; daemon: string; madeAt: string },
): Promise<void> {
  const { savedPlanText } = await import('../../../../core/flows/files/index.js')
  const { activate, commit, complete, daemon, madeAt, prune, strategies, workflows } = target
  const text = savedPlanText({
    made_at: madeAt,
    daemon,
    prune,
    activate,
    complete,
    commit: commit ?? null,
    rows: [...rows],
    workflows: workflows === undefined ? null : [...workflows],
    strategies: strategies === undefined ? null : [...strategies],
  })
  try {
    writePrivately(file, text)
  } catch (cause) {
    throw new CliError(EXIT.failed, `${file} cannot be written.`, { cause })
  }
}

/** Reads a saved plan. @throws CliError with exit status 2 for a file that is none, or that somebody changed */
export async function readPlan(file: string): Promise<SavedPlan> {
  const { readSavedPlan } = await import('../../../../core/flows/files/index.js')
  const text = fileText(file, MAX_PLAN_BYTES)
  const read = text === undefined ? { problem: 'it is too large' } : readSavedPlan(text)
  if ('plan' in read) return read.plan
  throw usageError(
    `${file} cannot be applied: ${read.problem}.`,
    'Make a new plan: svc flow plan PATH --out FILE.plan.json',
  )
}

/** Returns a row as a plan saves it: with the version that it may overwrite. */
export async function savedRows(
  rows: readonly PlannedRow[],
  versions: ExpectedVersions,
): Promise<SavedRow[]> {
  const { changeText } = await import('../../../../core/flows/files/index.js')
  return rows.map((row) => ({
    kind: row.kind,
    key: row.key,
    action: row.action,
    moved_from: row.moved_from,
    id: row.kind === 'workflow' ? row.workflow_id : row.strategy_id,
    on: row.kind === 'workflow' ? row.is_active : row.is_running,
    beside: isActiveBeside(row),
    version: row.stored === null ? null : (versions.get(nameOf(row)) ?? row.stored.version),
    by: row.stored?.by ?? null,
    at: row.stored?.at ?? null,
    changes: row.changes.map(({ kind, path, before, after }) => changeText({ kind, path, before, after })),
  }))
}

/**
 * Returns one text for each row that is not as it was in the plan: what the plan saw, and what the daemon has now. What has
 * no file stays as it is, so it does not count.
 */
export function changesSince(saved: readonly SavedRow[], now: readonly SavedRow[]): string[] {
  const isMeant = ({ action }: SavedRow) => action !== 'orphan'
  const [before, after] = [saved.filter(isMeant), now.filter(isMeant)]
  const nowByName = new Map(after.map((row) => [nameOf(row), row]))
  const names = new Set(before.map(nameOf))
  return [
    ...before.flatMap((row) => {
      const text = changeSince(row, nowByName.get(nameOf(row)))
      return text === undefined ? [] : [`${wordOf(row, saved)}: ${text}`]
    }),
    ...after
      .filter((row) => !names.has(nameOf(row)))
      .map(
        (row) => `${wordOf(row, now)}: it was not in the plan, and would be deleted (${versionText(row)})`,
      ),
  ]
}

/** Returns one text for each active workflow that the plan did not know as one: activated beside it, both would order. */
export function activeSince(saved: readonly SavedRow[], now: readonly SavedRow[]): string[] {
  const known = new Set(saved.filter(({ beside }) => beside).map(nameOf))
  return now
    .filter((row) => row.beside && !known.has(nameOf(row)))
    .map(({ action, key }) =>
      action === 'orphan'
        ? `${key}: it has no file and is active now`
        : `${key}: an active workflow, made by hand, has its name now`,
    )
}

function changeSince(saved: SavedRow, now: SavedRow | undefined): string | undefined {
  if (now === undefined) return `the plan saw ${versionText(saved)}, and it is not there any more`
  if (saved.id !== now.id || saved.version !== now.version) {
    return `the plan saw ${versionText(saved)}, the daemon has ${versionText(now)}`
  }
  if (saved.kind === 'workflow' && saved.on !== now.on) {
    return `it was ${onText(saved)} in the plan, and is ${onText(now)} now`
  }
  const isSame =
    saved.action === now.action &&
    saved.moved_from === now.moved_from &&
    saved.changes.join('\n') === now.changes.join('\n')
  return isSame ? undefined : 'the daemon compares it in another way than it did for the plan'
}

const onText = ({ on }: SavedRow) => (on ? 'active' : 'inactive')

function versionText({ at, by, id, version }: SavedRow): string {
  if (version === null) return 'none'
  const who = by === null ? '' : ` by ${by}`
  return `version ${version}${who}${at === null ? '' : ` of ${at}`} (id ${id})`
}
