import type { Context } from '../../../framework/context.js'
import type { Objections } from './expect.js'
import { isActivated, isOn, KINDS, type Kind, nameOf, type PlannedRow, type StrategyRow } from './rows.js'

const SIGNS: Readonly<Record<PlannedRow['action'], string>> = {
  create: '+ create',
  update: '~ update',
  delete: '- delete',
  none: '= unchanged',
  orphan: '! no file',
}

/** What a plan says besides its rows. */
export interface PlanFacts {
  /** Why a row must not simply overwrite what is stored, by its name. */
  objections?: Objections | undefined
  /** The strategies that are not from a file and have the name that a row would give, by the id of the row. */
  takenNames?: ReadonlyMap<string, number> | undefined
  /** True if the inactive workflows of the plan are activated. */
  activates?: boolean | undefined
}

/** Returns one line for each workflow and strategy, and one for each changed field. */
export async function planLines(rows: readonly PlannedRow[], facts: PlanFacts = {}): Promise<string[]> {
  const { changeText } = await import('../../../../core/flows/files/index.js')
  const isMixed = kindsOf(rows).length > 1
  return rows.flatMap((row) => {
    const words = factsOf(row, facts)
    const after = words.length === 0 ? '' : ` (${words.join(', ')})`
    const changes = row.changes.map(({ kind, path, before, after: now }) =>
      changeText({ kind, path, before, after: now }),
    )
    return [`${headOf(row, isMixed)}${after}`, ...changes.map((text) => `    ${text}`)]
  })
}

/** Returns `~ update range`, `~ moved old-range -> range`; with its kind in a plan of both kinds. */
function headOf({ action, key, kind, moved_from: from }: PlannedRow, isMixed: boolean): string {
  const noun = isMixed ? `${kind} ` : ''
  return from === null ? `${SIGNS[action]} ${noun}${key}` : `~ moved ${noun}${from} -> ${key}`
}

function factsOf(row: PlannedRow, { activates, objections, takenNames }: PlanFacts): string[] {
  const { action, stored, version } = row
  const objection = objections?.get(nameOf(row))
  const isDone = typeof version === 'number'
  return [
    isDone && action !== 'orphan' ? [] : stateText(row),
    action === 'orphan' && stored?.file ? `applied from ${stored.file}` : [],
    namesakeText(row, takenNames),
    isDone && action !== 'orphan' ? `version ${version}` : [],
    row.kind === 'workflow' && row.activated ? 'activated' : [],
    row.kind === 'workflow' && row.needs_reactivate ? 'deactivated: its trigger could not be activated' : [],
    activates && !isDone && isActivated(row) ? 'will be activated' : [],
    objection === undefined
      ? []
      : `${objection.text}: ${objection.isAsked ? 'apply asks, a script needs --expect' : 'apply needs --expect'}`,
  ].flat()
}

/** Returns what a workflow or a strategy does now, and what a planned change means for it. */
function stateText(row: PlannedRow): string | string[] {
  if (row.action === 'create') return []
  if (row.kind === 'strategy') return strategyState(row)
  if (!row.is_active) return 'inactive'
  if (row.action === 'delete') return 'active: it stops'
  if (row.action !== 'update' || row.changes.length === 0) return 'active'
  return row.trigger_changed
    ? 'active: its new trigger takes effect at once'
    : 'active: the next run uses the change'
}

function strategyState({ action, changes, is_running: isRunning }: StrategyRow): string {
  if (!isRunning) return 'stopped'
  return action === 'delete' || changes.length > 0 ? 'running: stop it first' : 'running'
}

function namesakeText(row: PlannedRow, takenNames: PlanFacts['takenNames']): string | string[] {
  if (row.kind === 'workflow') {
    const { namesake } = row
    return namesake ? `workflow ${namesake.workflow_id}, which is not from a file, has the same name` : []
  }
  const taken = takenNames?.get(row.key)
  return taken === undefined ? [] : `its name is taken by strategy ${taken}, which is not from a file`
}

/** Returns `1 to create, 2 to update (1 moved), 0 to delete, 1 to activate, 5 unchanged.`, and who has no file any more. */
export function planSummary(
  rows: readonly PlannedRow[],
  { activates = false, done = false }: { activates?: boolean | undefined; done?: boolean },
): string {
  const count = (action: PlannedRow['action']) => rows.filter((row) => row.action === action).length
  const [created, updated, deleted] = [count('create'), count('update'), count('delete')]
  const moved = rows.filter(({ moved_from: from }) => from !== null).length
  const ofThem = moved === 0 ? '' : ` (${moved} moved)`
  const begun = rows.filter((row) => (done ? hasActivated(row) : activates && isActivated(row))).length
  const on = begun === 0 ? '' : `, ${begun} ${done ? 'activated' : 'to activate'}`
  const unchanged = `${count('none')} unchanged.`
  const text = done
    ? `${created} created, ${updated} updated${ofThem}, ${deleted} deleted${on}, ${unchanged}`
    : `${created} to create, ${updated} to update${ofThem}, ${deleted} to delete${on}, ${unchanged}`
  const kinds = kindsOf(rows)
  const orphans = kinds.flatMap((kind) => orphanText(rows, kind, kinds.length > 1))
  return orphans.length === 0 ? text : `${text} ${orphans.join('. ')}`
}

/** Returns `2 have no file, 1 active. Delete them: --prune`; nothing if each has one. */
function orphanText(rows: readonly PlannedRow[], kind: Kind, isMixed: boolean): string[] {
  const orphans = rows.filter((row) => row.kind === kind && row.action === 'orphan')
  if (orphans.length === 0) return []
  const [verb, them] = orphans.length === 1 ? ['has', 'it'] : ['have', 'them']
  const who = isMixed ? `${orphans.length} ${orphans.length === 1 ? kind : PLURALS[kind]}` : orphans.length
  const on = `${orphans.filter(isOn).length} ${kind === 'workflow' ? 'active' : 'running'}`
  return [`${who} ${verb} no file, ${on}. Delete ${them}: --prune`]
}

const hasActivated = (row: PlannedRow) => row.kind === 'workflow' && row.activated === true

const PLURALS: Readonly<Record<Kind, string>> = { workflow: 'workflows', strategy: 'strategies' }

function kindsOf(rows: readonly PlannedRow[]): Kind[] {
  return KINDS.filter((kind) => rows.some((row) => row.kind === kind))
}

/** Shows the rows in the chosen format, otherwise as lines; then the summary. */
export async function showPlan(
  context: Context,
  rows: readonly PlannedRow[],
  { done = false, ...facts }: PlanFacts & { done?: boolean } = {},
): Promise<void> {
  const { format } = context.settings
  // Ids alone do not tell what is unchanged.
  const listed = format === 'name' ? rows.filter((row) => isNews(row, facts)) : rows
  if (format === undefined) await context.out.changes(await planLines(rows, facts))
  else
    await context.out.list({
      rows: listed.map((row) => shownRow(row, facts)),
      columns: [],
      id: 'key',
      empty: '',
    })
  context.out.note(planSummary(rows, { ...facts, done }))
}

function isNews(row: PlannedRow, { activates }: PlanFacts): boolean {
  return row.action !== 'none' || hasActivated(row) || (activates === true && isActivated(row))
}

/** Returns a row as a document has it: an activation alone is no change of the file, and is said beside `action`. */
function shownRow(row: PlannedRow, { activates }: PlanFacts): PlannedRow & { will_activate?: boolean } {
  return activates && row.kind === 'workflow' ? { ...row, will_activate: isActivated(row) } : row
}
