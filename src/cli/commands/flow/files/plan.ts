import type { RouteAnswer } from '../../../../client/endpoints.js'
import type { Change, WorkflowFile } from '../../../../core/flows/files/index.js'
import { visible } from '../../../../views/table/cells.js'
import { countText } from '../../../../views/text/count.js'
import type { CommandSpec } from '../../../framework/command/command.js'
import type { ArgumentSpec } from '../../../framework/command/description.js'
import type { Context } from '../../../framework/context.js'
import { EXIT, type ExitStatus } from '../../../framework/exit-codes.js'
import { failureOf } from '../../../http/client.js'
import { checkoutOf } from '../../../io/checkout.js'
import { objectionsTo } from './expect.js'
import { areComplete } from './folder.js'
import { workflowsToSend } from './load.js'

export const PATHS: ArgumentSpec = { syntax: '<path...>', summary: 'files or directories' }
export const PRUNE = {
  flags: '--prune',
  summary: 'delete workflows that were applied from files and are missing from these files',
}

/** The target state of the daemon. */
export interface TargetState {
  workflows: readonly WorkflowFile[]
  prune: boolean
  activate: boolean
  complete: boolean
  expect?: Readonly<Record<string, number>>
  commit?: string | undefined
}

type Route = 'POST /flow/api/plan' | 'POST /flow/api/apply'
/** A workflow, and the changes that applying its file would make or has made. */
export type PlannedWorkflow = RouteAnswer<'POST /flow/api/plan'>['data'][number] &
  Partial<RouteAnswer<'POST /flow/api/apply'>['data'][number]>
const FOLLOW_UP = 'Check what was applied: svc flow plan, with the same paths'

/** Requests the changes of an apply (`plan`) or makes them (`apply`); returns one row per workflow. */
export async function requestPlan(
  context: Context,
  verb: 'plan' | 'apply',
  target: TargetState,
): Promise<PlannedWorkflow[]> {
  const { workflows, prune, activate, complete, commit, expect } = target
  const body = {
    workflows: workflows.map(({ key, file, name, description, graph }) => ({
      key,
      file,
      name,
      description,
      nodes: graph.nodes,
      edges: graph.edges,
    })),
    prune,
    activate,
    complete,
    ...(expect === undefined ? {} : { expect }),
    ...(commit === undefined ? {} : { commit }),
  }
  const route: Route = `POST /flow/api/${verb}`
  const rest = { changes: verb === 'apply', timeoutMs: 120_000, followUp: FOLLOW_UP }
  const call = context.changeCall<Route>(route, { body }, rest)
  const answer = await context.client().ask(call)
  const { body: said } = answer
  if (said.status === 'success') return said.data
  for (const { key, path, message } of Array.isArray(said.errors) ? said.errors : []) {
    const where = [key, path].filter((part) => part).join(' ')
    context.io.stderr.write(`${visible(`${where}: ${message}`)}\n`)
  }
  throw failureOf(answer, call)
}

const SIGNS: Readonly<Record<PlannedWorkflow['action'], string>> = {
  create: '+ create',
  update: '~ update',
  delete: '- delete',
  none: '= unchanged',
  orphan: '! no file',
}

/** Why a row must not overwrite what is stored, by key. */
type Objections = ReadonlyMap<string, string>

/** Returns one line per workflow, and one per changed field. */
export async function planText(
  rows: readonly PlannedWorkflow[],
  objections: Objections = new Map(),
): Promise<string> {
  const { changeText } = await import('../../../../core/flows/files/index.js')
  return rows
    .map((row) => {
      const facts = factsOf(row, objections)
      const after = facts.length === 0 ? '' : ` (${facts.join(', ')})`
      const lines = row.changes.map((change) => `    ${changeText(changeOf(change))}`)
      const head = `${SIGNS[row.action]} ${row.key}${after}`
      return [head, ...lines].map((line) => `${visible(line)}\n`).join('')
    })
    .join('')
}

function factsOf(row: PlannedWorkflow, objections: Objections): string[] {
  const { action, namesake, stored, version } = row
  const objection = objections.get(row.key)
  const isChanged = action !== 'none' && action !== 'orphan'
  return [
    activity(row),
    action === 'orphan' && stored?.file ? `applied from ${stored.file}` : [],
    namesake ? `workflow ${namesake.workflow_id}, which is not from a file, has the same name` : [],
    row.drifted && isChanged ? 'changed by hand since the last apply' : [],
    typeof version === 'number' && action !== 'orphan' ? `version ${version}` : [],
    row.activated ? 'activated' : [],
    row.needs_reactivate ? 'deactivated: its trigger could not be activated' : [],
    objection === undefined ? [] : `${objection}: apply needs --expect`,
  ].flat()
}

/** Returns whether a workflow is active, and what a planned change means for it. */
function activity({
  action,
  is_active: isActive,
  trigger_changed: hasNewTrigger,
  version,
}: PlannedWorkflow): string[] {
  if (action === 'orphan') return [isActive ? 'active' : 'inactive']
  // After an apply other facts say it.
  if (action === 'create' || typeof version === 'number') return []
  if (!isActive) return ['inactive']
  if (action === 'delete') return ['active: it stops']
  if (action === 'none') return ['active']
  return [
    hasNewTrigger ? 'active: its new trigger takes effect at once' : 'active: the next run uses the change',
  ]
}

function changeOf({ kind, path, before, after }: PlannedWorkflow['changes'][number]): Change {
  return { kind, path, before, after }
}

/** Returns `1 to create, 2 to update, 0 to delete, 5 unchanged.` */
function summary(rows: readonly PlannedWorkflow[], done: boolean): string {
  const count = (action: string) => rows.filter((row) => row.action === action).length
  const [created, updated, deleted] = [count('create'), count('update'), count('delete')]
  const unchanged = `${count('none')} unchanged.`
  const text = done
    ? `${created} created, ${updated} updated, ${deleted} deleted, ${unchanged}`
    : `${created} to create, ${updated} to update, ${deleted} to delete, ${unchanged}`
  return [text, ...orphanText(rows, (row) => row.is_active, 'active')].join(' ')
}

/** Returns `2 have no file, 1 active. Delete them: --prune`; nothing if each has one. */
export function orphanText<Row extends { action: string }>(
  rows: readonly Row[],
  isOn: (row: Row) => boolean,
  on: string,
): string[] {
  const orphans = rows.filter(({ action }) => action === 'orphan')
  if (orphans.length === 0) return []
  const [verb, them] = orphans.length === 1 ? ['has', 'it'] : ['have', 'them']
  return [`${orphans.length} ${verb} no file, ${orphans.filter(isOn).length} ${on}. Delete ${them}: --prune`]
}

/** Shows the rows in the chosen format, otherwise as lines; then the summary. */
export async function showPlan(
  context: Context,
  rows: readonly PlannedWorkflow[],
  { done = false, objections }: { done?: boolean; objections?: Objections } = {},
): Promise<void> {
  if (context.settings.format === undefined) context.out.write(await planText(rows, objections))
  else await context.out.list({ rows, columns: [], id: 'key', empty: '' })
  context.out.note(summary(rows, done))
}

/** Returns whether applying the files would change a workflow. */
export function isChange({ action }: Pick<PlannedWorkflow, 'action'>): boolean {
  return action !== 'none' && action !== 'orphan'
}

export const plan: CommandSpec = {
  name: 'plan',
  summary: 'Shows what svc flow apply would change, field by field. Exit 9 when there are changes.',
  examples: ['flow plan flows', 'flow plan flows --prune', 'flow plan flows --json'],
  details:
    'All files are checked first, including symbols. If one has an error, nothing is sent (exit 2).\n' +
    'Workflows that were applied from a file and have none any more are listed too. With single files, these are the workflows of files whose id has changed.',
  arguments: [PATHS],
  options: [PRUNE],
  run: (context, input) => comparePaths(context, input.words(0), input.flag('prune')),
}

async function comparePaths(context: Context, paths: readonly string[], prune: boolean): Promise<ExitStatus> {
  const workflows = await workflowsToSend(context, paths)
  const target = { workflows, prune, activate: false, complete: areComplete(paths) }
  const rows = await requestPlan(context, 'plan', target)
  const objections = await objectionsTo(rows, await checkoutOf(workflows.map(({ file }) => file)))
  await showPlan(context, rows, { objections })
  return rows.some(({ action }) => action !== 'none') ? EXIT.differences : EXIT.done
}

export const drift: CommandSpec = {
  name: 'drift',
  summary: 'Shows workflows that differ from their files. Exit 9 when there is a difference.',
  examples: ['flow drift', 'flow drift flows', 'flow drift flows --json'],
  details:
    'Without paths: workflows changed by hand since they were applied from files.\n' +
    'With paths: all differences, and workflows that were applied from a file and have none any more.',
  arguments: [{ syntax: '[path...]', summary: 'files or directories' }],
  async run(context, input) {
    if (input.words(0).length > 0) return comparePaths(context, input.words(0), false)
    const { body: all } = await context.read('GET /flow/api/workflows')
    const rows = all.filter((row) => row.file_key !== null && row.drifted)
    await context.out.list({
      rows,
      id: 'file_key',
      columns: [
        { key: 'id', kind: 'quantity' },
        { key: 'file_key', title: 'KEY' },
        { key: 'name' },
        { key: 'version', kind: 'quantity' },
        { key: 'updated_at', title: 'CHANGED', kind: 'time' },
      ],
      empty: 'No workflow was changed by hand.',
    })
    if (rows.length === 0) return EXIT.done
    context.out.note(
      `${countText(rows.length, 'workflow')} changed by hand. See the changes: svc flow drift PATH. Undo them: svc flow apply PATH`,
    )
    return EXIT.differences
  },
}
