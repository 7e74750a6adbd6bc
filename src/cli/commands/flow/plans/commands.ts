import type { SavedPlan } from '../../../../core/flows/files/index.js'
import { countText } from '../../../../views/text/count.js'
import type { CommandSpec, Input } from '../../../framework/command/command.js'
import type { ArgumentSpec } from '../../../framework/command/description.js'
import type { OptionSpec } from '../../../framework/command/option.js'
import type { Context } from '../../../framework/context.js'
import { CliError, usageError } from '../../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../../framework/exit-codes.js'
import { checkoutOf } from '../../../io/checkout.js'
import { sessionDestination, showMode } from '../../../io/confirm.js'
import {
  agreedVersions,
  EXPECT,
  givenVersions,
  type Objections,
  objectionsTo,
  requireVersions,
} from './expect.js'
import {
  isActivated,
  isActiveBeside,
  isChange,
  isReactivated,
  type Kind,
  nameOf,
  type PlannedRow,
} from './rows.js'
import {
  activeSince,
  changesSince,
  OUT,
  planAmong,
  readPlan,
  requireFiles,
  requirePlanName,
  savedRows,
  savePlan,
} from './saved.js'
import {
  daemonId,
  type Expectations,
  PartlyApplied,
  requestApply,
  requestPlan,
  requireFreeNames,
  showTokens,
  takenNames,
} from './send.js'
import { type Target, targetAt } from './target.js'
import { planLines, showPlan } from './text.js'

export const PATHS: ArgumentSpec = { syntax: '<path...>', summary: 'files or directories' }
const FILES_OR_PLAN: ArgumentSpec = { ...PATHS, summary: 'files or directories, or one saved plan' }
const COMMIT: OptionSpec = {
  flags: '--commit <sha>',
  summary:
    "commit to store with each version (default: HEAD of the files' repository, with -dirty if they are not as in it)",
}
const ACTIVATE: OptionSpec = { flags: '--activate', summary: 'activate the inactive workflows' }

/** The options of plan and apply, for one noun. */
export function planOptions(kind: Kind, verb: 'plan' | 'apply'): OptionSpec[] {
  const noun = kind === 'workflow' ? 'workflows, and strategies if there are files of both,' : 'strategies'
  const prune = {
    flags: '--prune',
    summary: `delete ${noun} that were applied from files and are missing from these files`,
  }
  return [
    prune,
    ...(kind === 'workflow' ? [ACTIVATE] : []),
    EXPECT,
    COMMIT,
    ...(verb === 'plan' ? [OUT] : []),
  ]
}

export const planArguments: Readonly<Record<'plan' | 'apply', CommandSpec['arguments']>> = {
  plan: [PATHS],
  apply: [FILES_OR_PLAN],
}

/** Shows the changes that applying the files would make, and saves them with `--out`. */
export async function runPlan(context: Context, input: Input, kind: Kind): Promise<ExitStatus> {
  const out = input.text('out')
  requirePlanName(out)
  requireFiles(input.words(0), nounOf(kind))
  const activate = kind === 'workflow' && input.flag('activate')
  const target = await targetAt(context, kind, input.words(0), { prune: input.flag('prune'), activate })
  const checkout = await checkoutOf(target.files, context.io.env, input.text('commit'))
  // Before the plan is made, so that its rows come from a daemon that has proved its id.
  const saving = out === undefined ? undefined : { file: out, daemon: await daemonId(context) }
  const rows = await requestPlan(context, target)
  const given = givenVersions(input.list('expect'), rows)
  requireVersions(rows, given)
  const objections = await objectionsTo(
    rows.filter((row) => !given.has(nameOf(row))),
    checkout,
    activate,
  )
  const taken = await takenNames(context, rows)
  await showPlan(context, rows, { objections, activates: activate, takenNames: taken })
  if (saving !== undefined) {
    const { daemon, file } = saving
    requireFreeNames(rows, taken)
    const versions = await agreedVersions(rows, given, checkout, { activates: activate, isShown: true })
    const madeAt = new Date(context.io.now()).toISOString()
    const shown = await savedRows(rows, versions)
    await savePlan(file, { ...target, commit: checkout.commit, rows: shown, daemon, madeAt })
    context.out.note(`Saved: ${file}. Apply exactly this: svc ${nounOf(kind)} apply ${file}`)
  }
  return differs(rows, activate) ? EXIT.differences : EXIT.done
}

/** Shows how the daemon differs from the files. */
export async function runDrift(context: Context, paths: readonly string[], kind: Kind): Promise<ExitStatus> {
  requireFiles(paths, nounOf(kind))
  const target = await targetAt(context, kind, paths, { prune: false })
  const rows = await requestPlan(context, target)
  const objections = await objectionsTo(rows, await checkoutOf(target.files, context.io.env), false)
  await showPlan(context, rows, { objections, takenNames: await takenNames(context, rows) })
  return differs(rows, false) ? EXIT.differences : EXIT.done
}

function differs(rows: readonly PlannedRow[], activates: boolean): boolean {
  return rows.some((row) => row.action !== 'none' || (activates && isActivated(row)))
}

const nounOf = (kind: Kind) => (kind === 'workflow' ? 'flow' : 'strategy')

/** Makes the daemon match the files, or applies a saved plan. */
export async function runApply(context: Context, input: Input, kind: Kind): Promise<ExitStatus> {
  const paths = input.words(0)
  const plan = planAmong(paths)
  if (plan !== undefined) return applySaved(context, input, kind, plan)
  const activate = kind === 'workflow' && input.flag('activate')
  const fromFiles = await targetAt(context, kind, paths, { prune: input.flag('prune'), activate })
  const checkout = await checkoutOf(fromFiles.files, context.io.env, input.text('commit'))
  const target = { ...fromFiles, commit: checkout.commit }
  const rows = await requestPlan(context, target)
  const given = givenVersions(input.list('expect'), rows)
  // Before the strategies are changed, which come first.
  requireVersions(rows, given)
  requireFreeNames(rows, await takenNames(context, rows))
  const { interactive, yes } = context.settings
  const isShown = interactive && !yes
  const versions = await agreedVersions(rows, given, checkout, { activates: activate, isShown })
  const objections = await objectionsTo(rows, checkout, activate)
  // A plan without a change asks nothing. It is sent all the same if a row was changed by hand into what the file says: the daemon
  // then stores that the file is applied.
  if (isShown && isDone(rows, { activate }) && !rows.some(({ drifted }) => drifted)) {
    await showPlan(context, rows, { done: true })
    return EXIT.done
  }
  await confirmed(context, rows, { activates: activate, isReviewed: false, objections })
  await applyAndShow(context, target, { versions, rows })
  return EXIT.done
}

/** Applies a target, and shows what was applied, also if that is only a part. */
async function applyAndShow(context: Context, target: Target, expected: Expectations): Promise<void> {
  try {
    await showApplied(context, await requestApply(context, target, expected))
  } catch (thrown) {
    if (thrown instanceof PartlyApplied && thrown.strategies.length > 0)
      await showApplied(context, thrown.strategies)
    throw thrown
  }
}

async function showApplied(context: Context, rows: readonly PlannedRow[]): Promise<void> {
  await showPlan(context, rows, { done: true })
  showTokens(context, rows)
}

/** Applies exactly what a plan showed. @throws CliError with exit status 5 if the daemon is another one, or has changed since */
async function applySaved(context: Context, input: Input, kind: Kind, file: string): Promise<ExitStatus> {
  for (const option of ['prune', 'activate']) if (input.flag(option)) throw ofPlan(`--${option}`)
  if (input.list('expect').length > 0) throw ofPlan('--expect')
  const plan = await readPlan(file)
  if (kind === 'strategy' && plan.workflows !== null) {
    throw usageError(`${file} is a plan of workflows, too.`, `Apply it: svc flow apply ${file}`)
  }
  await requireSameDaemon(context, file, plan)
  const target = targetOf(plan, input.text('commit'))
  const all = await requestPlan(context, target)
  if (isDone(all, plan)) {
    await showPlan(context, all)
    context.out.note('Nothing to do: the daemon has what the plan says.')
    return EXIT.done
  }
  const goesOn = isPartlyApplied(all, plan)
  const isLeft = (row: { kind: Kind }) => !(goesOn && row.kind === 'strategy')
  const [rows, saved] = [all.filter(isLeft), plan.rows.filter(isLeft)]
  if (goesOn) context.out.note('The strategies are as the plan says already: it goes on with the workflows.')
  const now = await savedRows(rows, new Map())
  const changes = [...changesSince(saved, now), ...(plan.activate ? activeSince(saved, now) : [])]
  if (changes.length > 0) throw outdated(changes)
  await confirmed(context, rows, { activates: plan.activate, isReviewed: true })
  // What has no file stays as it is, whatever its version.
  const meant = saved.filter(({ action }) => action !== 'orphan')
  const versions = new Map(meant.map((row) => [nameOf(row), row.version ?? 0]))
  await applyAndShow(context, goesOn ? { ...target, strategies: undefined } : target, { versions, rows })
  return EXIT.done
}

/** Returns whether the daemon has what the files say, or a plan. What has no file stays as it is. */
function isDone(rows: readonly PlannedRow[], { activate }: Pick<SavedPlan, 'activate'>): boolean {
  return !differs(
    rows.filter(({ action }) => action !== 'orphan'),
    activate,
  )
}

/** Returns whether the strategies of a plan were applied, and its workflows were not: the daemon may have refused them. */
function isPartlyApplied(rows: readonly PlannedRow[], plan: SavedPlan): boolean {
  const isStrategy = ({ kind }: { kind: Kind }) => kind === 'strategy'
  return (
    plan.workflows !== null &&
    plan.rows.filter(isStrategy).some(isChange) &&
    isDone(rows.filter(isStrategy), plan)
  )
}

const ofPlan = (option: string) =>
  usageError(`${option}: a saved plan has its own.`, 'Give it to svc flow plan --out.')

function targetOf(plan: SavedPlan, commit: string | undefined): Target {
  const { activate, complete, prune, strategies, workflows } = plan
  return {
    prune,
    activate,
    complete,
    commit: commit ?? plan.commit ?? undefined,
    workflows: workflows ?? undefined,
    strategies: strategies ?? undefined,
  }
}

async function requireSameDaemon(context: Context, file: string, plan: SavedPlan): Promise<void> {
  const id = await daemonId(context)
  if (id === plan.daemon) return
  throw new CliError(
    EXIT.refused,
    `Nothing was applied: ${file} was made for the daemon ${plan.daemon}, and ${context.client().url} is ${id}.`,
    { code: 'another_daemon', hint: 'Name its context (--context NAME), or make a plan for this one.' },
  )
}

function outdated(changes: readonly string[]): CliError {
  return new CliError(
    EXIT.refused,
    `Nothing was applied: the daemon has changed since the plan. ${changes.join('; ')}.`,
    { code: 'conflict', hint: 'Make a new plan: svc flow plan PATH --out FILE.plan.json' },
  )
}

async function isAskedOfStart(context: Context): Promise<boolean> {
  const { confirm_live: rule, mode } = await sessionDestination(context)
  return mode === 'live' && rule !== 'never'
}

/**
 * Confirms the changes: all of them on a terminal; in a script those that delete something, and an activation while
 * another copy may be active. A saved plan was reviewed already, so no script is asked for it.
 */
async function confirmed(
  context: Context,
  planned: readonly PlannedRow[],
  { activates, isReviewed, objections }: { activates: boolean; isReviewed: boolean; objections?: Objections },
): Promise<void> {
  const { interactive, yes } = context.settings
  if (yes || (isReviewed && !interactive)) return
  const changed = planned.filter(isChange)
  const deleted = changed.filter(({ action }) => action === 'delete').length
  const beside = activates ? planned.filter(isActiveBeside) : []
  const again = activates ? planned.filter(isReactivated) : []
  const isAsked = deleted + beside.length > 0 || (interactive && changed.length + again.length > 0)
  const begun = activates ? planned.filter(isActivated) : []
  // Of an activation alone a terminal is asked while orders are live, right before it: it sees the plan first.
  if (!isAsked && !(interactive && begun.length > 0 && (await isAskedOfStart(context)))) return
  const shown = planned.filter((row) => isChange(row) || [...beside, ...again, ...begun].includes(row))
  const lines = await planLines(shown, {
    activates,
    objections,
    takenNames: await takenNames(context, shown),
  })
  await context.out.askedChanges(lines)
  if (!isAsked) return
  await showMode(context)
  const act = changed.length > 0 ? `Apply ${countText(changed.length, 'change')}` : 'Activate the workflows'
  const loss = deleted === 0 ? '' : `, including ${countText(deleted, 'deletion')}`
  const other =
    beside.length === 0 ? '' : `, beside ${countText(beside.length, 'active workflow')} without a file`
  await context.prompts.confirm(`${act}${loss}${other}`)
}
