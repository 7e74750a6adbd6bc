import type { RouteAnswer } from '../../../../client/endpoints.js'
import { visible } from '../../../../views/table/cells.js'
import type { Context } from '../../../framework/context.js'
import { CliError } from '../../../framework/errors.js'
import { EXIT } from '../../../framework/exit-codes.js'
import { failureOf } from '../../../http/client.js'
import type { ExpectedVersions } from './expect.js'
import type { Kind, PlannedRow, StrategyRow, WorkflowRow } from './rows.js'
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

/**
 * Applies a target. Strategies come first: all of them change or none, and none of them starts. So if the daemon refuses
 * them, nothing was changed.
 */
export async function requestApply(
  context: Context,
  target: Target,
  expected: Expectations,
): Promise<PlannedRow[]> {
  const strategies = await strategyRows(context, 'apply', target, expected)
  try {
    return [...(await workflowRows(context, 'apply', target, expected)), ...strategies]
  } catch (thrown) {
    if (target.strategies !== undefined) {
      showTokens(context, strategies)
      context.out.note('The strategies were applied before that. Make a new plan for the rest.')
    }
    throw thrown
  }
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
  // Beside workflows, --prune means workflows: strategies may come from another folder.
  const prune = target.prune && target.workflows === undefined
  const body = { strategies: [...strategies], ...factsOf({ ...target, prune }, 'strategy', expected) }
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
  const { id } = context.trust
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
