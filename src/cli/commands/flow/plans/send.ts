import type { RouteAnswer } from '../../../../client/endpoints.js'
import { visible } from '../../../../views/table/cells.js'
import type { Context } from '../../../framework/context.js'
import { CliError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { failureOf } from '../../../http/client.js'
import type { ExpectedVersions } from './expect.js'
import {
  isActivated,
  isChange,
  type Kind,
  type PlannedRow,
  type StrategyRow,
  type WorkflowRow,
} from './rows.js'
import type { Target } from './target.js'

const TIMEOUT_MS = 120_000

/** What the daemon must still be like when a target is applied. */
export interface Expectations {
  versions: ExpectedVersions
  /** The rows that were shown: a workflow must be active now if it was then. */
  rows: readonly PlannedRow[]
}

/** Returns the changes that applying a target would make. */
export async function requestPlan(context: Context, target: Target): Promise<PlannedRow[]> {
  return [...(await workflowRows(context, 'plan', target)), ...(await strategyRows(context, 'plan', target))]
}

/** What was applied when the daemon refused the rest, or gave no answer to it. */
export class PartlyApplied extends CliError {
  constructor(
    readonly strategies: readonly StrategyRow[],
    what: string,
    cause: CliError,
  ) {
    const { code, message, requestId, response } = cause
    // Wrong usage means that nothing was done.
    super(cause.exit === EXIT.usage ? EXIT.refused : cause.exit, `${what} ${message}`, {
      code,
      hint: 'Once that is mended, run the same command again: it goes on with the rest.',
      ...(requestId !== undefined && { requestId }),
      response,
      cause,
    })
  }
}

/**
 * Applies a target. Strategies come first: all of them change or none, and none of them starts. The daemon is asked before
 * whether it would take the workflows. So if it refuses either, nothing was changed.
 * @throws PartlyApplied if the workflows fail all the same, and something was applied
 */
export async function requestApply(
  context: Context,
  target: Target,
  expected: Expectations,
): Promise<PlannedRow[]> {
  if (target.strategies !== undefined) await workflowRows(context, 'plan', target, expected)
  const strategies = await strategyRows(context, 'apply', target, expected)
  try {
    return [...(await workflowRows(context, 'apply', target, expected)), ...strategies]
  } catch (thrown) {
    if (!(thrown instanceof CliError)) throw thrown
    const workflows = await appliedAmong(context, target, expected).catch(() => undefined)
    const applied = [...strategies.filter(isChange), ...(workflows?.applied ?? [])]
    if (applied.length === 0) throw thrown
    const rest = workflows ? `Not applied: ${listed(workflows.left)}.` : 'Of the workflows nothing is known.'
    throw new PartlyApplied(strategies, `Applied: ${listed(applied)}. ${rest}`, thrown)
  }
}

const listed = (rows: readonly PlannedRow[]): string =>
  rows.map(({ key, kind }) => `${kind} ${key}`).join(', ') || 'none'

/** Returns the workflows that were to change, by whether the daemon has them as they were to be. */
async function appliedAmong(
  context: Context,
  target: Target,
  { rows }: Expectations,
): Promise<{ applied: PlannedRow[]; left: PlannedRow[] }> {
  const now = new Map((await workflowRows(context, 'plan', target)).map((row) => [row.key, row]))
  const isMeant = (row: PlannedRow) => isChange(row) || (target.activate && isActivated(row))
  const isDone = (row: PlannedRow) => {
    const after = now.get(row.key)
    return row.action === 'delete' ? after === undefined : after !== undefined && !isMeant(after)
  }
  const meant = rows.filter((row) => row.kind === 'workflow' && isMeant(row))
  return { applied: meant.filter(isDone), left: meant.filter((row) => !isDone(row)) }
}

/** Shows the webhook tokens of new strategies, which the daemon tells only once. */
export function showTokens(context: Context, rows: readonly PlannedRow[]): void {
  for (const row of rows) {
    if (row.kind === 'strategy' && typeof row.webhook_token === 'string') {
      context.out.note(`Webhook token of ${row.key}, shown only now: ${row.webhook_token}`)
    }
  }
}

async function workflowRows(
  context: Context,
  verb: 'plan' | 'apply',
  { workflows, activate, ...target }: Target,
  expected?: Expectations,
): Promise<WorkflowRow[]> {
  if (workflows === undefined) return []
  const seen = expected?.rows.flatMap((row): [string, boolean][] =>
    // What has no file matters where something is activated beside it.
    row.kind === 'workflow' && (activate || row.action !== 'orphan') ? [[row.key, row.is_active]] : [],
  )
  const body = {
    workflows: [...workflows],
    activate,
    ...factsOf(target, 'workflow', expected),
    ...(seen && { expect_active: Object.fromEntries(seen) }),
    ...(verb === 'plan' && seen && { applicable: true }),
  }
  const route: 'POST /flow/api/plan' | 'POST /flow/api/apply' = `POST /flow/api/${verb}`
  const rest = { changes: verb === 'apply', timeoutMs: TIMEOUT_MS, followUp: followUp('flow') }
  const call = context.changeCall<typeof route>(route, { body }, rest)
  const answer = await context.client().ask(call)
  const { body: said } = answer
  if (said.status === 'success') {
    const { data }: { data: RouteAnswer<typeof route>['data'] } = said
    return data.map((row) => ({ kind: 'workflow' as const, ...row }))
  }
  for (const { key, path, message } of Array.isArray(said.errors) ? said.errors : []) {
    const where = [key, path].filter((part) => part).join(' ')
    context.io.stderr.write(`${visible(`${where}: ${message}`)}\n`)
  }
  throw failureOf(answer, call)
}

async function strategyRows(
  context: Context,
  verb: 'plan' | 'apply',
  { strategies, ...target }: Target,
  expected?: Expectations,
): Promise<StrategyRow[]> {
  if (strategies === undefined) return []
  const body = { strategies: [...strategies], ...factsOf(target, 'strategy', expected) }
  const route: 'POST /strategy/api/plan' | 'POST /strategy/api/apply' = `POST /strategy/api/${verb}`
  const rest = { changes: verb === 'apply', timeoutMs: TIMEOUT_MS, followUp: followUp('strategy') }
  const { data } = (await context.change<typeof route>(route, { body }, rest)).body
  return data.map((row) => ({ kind: 'strategy' as const, ...row }))
}

function factsOf(
  { commit, complete, prune }: Pick<Target, 'commit' | 'complete' | 'prune'>,
  kind: Kind,
  expected: Expectations | undefined,
) {
  const named = [...(expected?.versions ?? [])].flatMap(([name, version]) =>
    name.startsWith(`${kind}:`) ? [[name.slice(kind.length + 1), version] as const] : [],
  )
  return {
    prune,
    complete,
    ...(commit === undefined ? {} : { commit }),
    ...(expected && { expect: Object.fromEntries(named) }),
  }
}

const followUp = (noun: string) => `Check what was applied: svc ${noun} plan, with the same paths`

/**
 * Returns the id of the daemon that a command talks to. From now on the daemon proves it before it gets a credential.
 * @throws CliError if it says none
 */
export async function daemonId(context: Context): Promise<string> {
  await context.pinId()
  const { id } = context.target.trust
  if (id !== undefined) return id
  throw new CliError(EXIT.failed, `${context.client().url} does not say which daemon it is.`, {
    hint: 'It is older than this command, or no daemon of svc: svc version',
  })
}

/** Returns the strategies that are not from a file and have the name that a row would give, by the id of the row. */
export async function takenNames(
  context: Context,
  rows: readonly PlannedRow[],
): Promise<ReadonlyMap<string, number>> {
  const changed = rows.filter(
    ({ action, kind }) => kind === 'strategy' && (action === 'create' || action === 'update'),
  )
  if (changed.length === 0) return new Map()
  const { data } = (await context.read('GET /strategy/api/strategies')).body
  const byHand = data.filter(({ file_key: key }) => key === null)
  return new Map(
    changed.flatMap(({ key, name }) => {
      const taken = byHand.find((one) => one.name === name)
      return taken ? [[key, taken.id] as const] : []
    }),
  )
}

/**
 * Refuses strategies that the daemon would refuse, before anything is saved or sent.
 * @throws CliError with exit status 5 if one has the name of a strategy that is not from a file
 */
export function requireFreeNames(rows: readonly PlannedRow[], taken: ReadonlyMap<string, number>): void {
  const refused = rows.flatMap(({ key, kind, name }) => {
    const id = kind === 'strategy' ? taken.get(key) : undefined
    return id === undefined
      ? []
      : [`${key}: its name, ${name}, is taken by strategy ${id}, which is not from a file`]
  })
  if (refused.length === 0) return
  throw new CliError(EXIT.refused, `${refused.join('; ')}. Nothing was changed.`, {
    code: 'conflict',
    hint: 'Rename one of the two: the name in the file, or svc strategy update',
  })
}
