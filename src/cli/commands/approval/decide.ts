import { member } from '../../../client/answers/json.js'
import type { RouteAnswer } from '../../../client/endpoints.js'
import type { Approval } from '../../../views/approvals/approval.js'
import { countText } from '../../../views/text/count.js'
import type { CommandSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { each, SEVERAL } from '../../framework/each.js'
import { asSentence, CliError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { confirmAct, sessionDestination } from '../../io/confirm.js'
import type { Output } from '../../output/output.js'
import { approvalId } from '../order/names.js'
import {
  APPROVED_BY_FILTER,
  confirmApproval,
  confirmRejection,
  FILTER_OPTIONS,
  filterOf,
  REJECTED_BY_FILTER,
} from './filter.js'
import { lookOf, MOST_PLANNED, nextStep, readPlan } from './plan.js'
import { findApproval } from './queue.js'
import { type BeforeApproval, sameAsShown, withinLimit } from './same-as-shown.js'

/** The action on each approval of the command line. */
interface Decision {
  route:
    | 'POST /action-center/approve/:id'
    | 'POST /action-center/reject/:id'
    | 'DELETE /action-center/delete/:id'
  body?: { reason?: string }
}

/** What the person at the terminal agreed to. */
interface Agreement {
  /** The approvals that the question was about; undefined if that is not known. */
  known?: ReadonlySet<string> | undefined
  before?: BeforeApproval | undefined
}

/** Decides each approval separately, in the order given. */
function decide(
  context: Context,
  words: readonly string[],
  decision: Decision,
  { before, known }: Agreement = {},
): Promise<ExitStatus> {
  return each(context, 'approval', words, async (word, out) => {
    const id = approvalId(word)
    // Nobody was asked about it: it is refused here, and not sent.
    if (known !== undefined && !known.has(id)) await refuse(context, id)
    await before?.(id)
    await decideOne(context, out, id, decision)
  })
}

/** Refuses an approval that does not exist, or that cannot be decided on any more. */
async function refuse(context: Context, id: string): Promise<never> {
  const row = await findApproval(context, id)
  throw (
    decidedError(row) ?? new CliError(EXIT.refused, `Approval ${id} is still pending.`, { code: 'refused' })
  )
}

async function decideOne(context: Context, out: Output, id: string, decision: Decision): Promise<void> {
  const followUp = `Check it before you repeat the command: svc approval show ${id}`
  const call = context.changeCall(decision.route, { params: { id }, body: decision.body }, { followUp })
  const answer = await withinLimit(context, () => context.client().send(call)).catch((thrown) =>
    decidedAlready(context, id, thrown),
  )
  await out.record({
    record: { id: Number(id), ...answer.body },
    fields: [{ key: 'id' }, { key: 'broker_order_id', title: 'ORDER' }, { key: 'message' }],
    id: 'id',
  })
  const partly = member(answer.body, 'execution_error')
  if (partly !== undefined) {
    const response = { response: answer.body }
    throw new CliError(EXIT.refused, `Partly executed: ${partly}`, { code: 'refused', ...response })
  }
}

/** Replaces the refusal of a row that is no longer pending with who decided it, how and when. */
async function decidedAlready(context: Context, id: string, thrown: unknown): Promise<never> {
  if (!(thrown instanceof CliError) || thrown.code !== 'not_pending') throw thrown
  const row = await findApproval(context, id).catch(() => undefined)
  throw (row && decidedError(row, thrown)) ?? thrown
}

/** Returns who decided on an approval, how and when; undefined while it is pending. */
function decidedError(row: Approval, thrown?: CliError): CliError | undefined {
  if (row.status === 'pending') return undefined
  const [by, at] =
    row.status === 'approved'
      ? [row.approved_by, row.approved_at_ist]
      : [row.rejected_by, row.rejected_at_ist]
  const reason = row.status === 'rejected' && row.rejected_reason ? `: ${row.rejected_reason}` : ''
  const { ended, hint } = endOf(row)
  return new CliError(
    thrown?.exit ?? EXIT.refused,
    `Approval ${row.id} was ${row.status} by ${by ?? 'unknown'} at ${at ?? 'an unknown time'}${reason}.${ended}`,
    {
      code: thrown?.code ?? 'not_pending',
      hint,
      ...(thrown?.requestId !== undefined && { requestId: thrown.requestId }),
      ...(thrown && { response: thrown.response }),
    },
  )
}

/** Returns how the execution of a decided approval ended, and the next step. */
function endOf(row: Approval): { ended: string; hint: string } {
  const why = asSentence(row.execution_error ?? 'no reason given')
  const orders = nextStep(row)
  const hint = orders ?? `See it: svc approval show ${row.id}`
  if (row.execution === 'failed') return { ended: ` It failed: ${why}`, hint }
  return { ended: row.execution === 'partial' ? ` It was executed in part: ${why}` : '', hint }
}

const IDS = [
  {
    syntax: '<approval-id...>',
    summary: 'ids from svc approval list, or names such as approval/42',
    complete: 'approvals',
  },
] as const

const IDS_OR_FILTER = [{ ...IDS[0], syntax: '[approval-id...]' }] as const

/**
 * Shows what an approval would send, and asks. It leaves out approvals that do not wait: their refusal needs no question.
 * Nothing is known if the credential may not read.
 */
async function askedFor(context: Context, words: readonly string[]): Promise<Agreement> {
  const ids = words.map((word) => Number(approvalId(word))).filter((id) => Number.isSafeInteger(id) && id > 0)
  const plan = ids.length === 0 ? undefined : await orDenied(readPlan(context, ids))
  const isWhole = ids.length <= MOST_PLANNED && (plan !== undefined || ids.length === 0)
  const waiting = isWhole ? new Set(plan?.orders.map(({ id }) => String(id))) : undefined
  if (waiting?.size === 0) return { known: waiting }
  const [only, ...others] = waiting === undefined ? words : [...waiting]
  const what = others.length === 0 ? `approval ${only}` : `these ${others.length + 1} approvals`
  const question = `Approve and execute ${what}`
  await confirmAct(context, question, async () =>
    lookOf(plan ?? (await readPlan(context, ids)), await sessionDestination(context)),
  )
  return { known: waiting, before: plan && sameAsShown(context, plan) }
}

/** Returns those approvals that are decided, which alone can be deleted; undefined if the credential may not read them. */
async function decidedAmong(
  context: Context,
  ids: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const decided = new Set<string>()
  for (const id of ids) {
    const row = await orDenied(
      findApproval(context, id).catch((thrown: unknown) => {
        if (thrown instanceof CliError && thrown.exit === EXIT.notFound) return null
        throw thrown
      }),
    )
    if (row === undefined) return undefined
    if (row !== null && row.status !== 'pending') decided.add(id)
  }
  return decided
}

/** Returns undefined where the credential may not read. */
function orDenied<T>(read: Promise<T>): Promise<T | undefined> {
  return read.catch((thrown: unknown) => {
    if (thrown instanceof CliError && thrown.exit === EXIT.denied) return undefined
    throw thrown
  })
}

export const approve: CommandSpec = {
  name: 'approve',
  summary:
    'Approves queued orders and executes them. On a terminal it shows every order that is sent, and asks.',
  examples: [
    'approval approve 42',
    'approval approve 42 43 44',
    'approval approve 42 --yes',
    'approval approve --strategy demo --max-value 50000 --max-drift 0.5 --yes',
  ],
  details: `${SEVERAL}\nAfter a question, an order that would no longer send what was shown is refused, with those after it.\n${APPROVED_BY_FILTER}`,
  arguments: IDS_OR_FILTER,
  options: FILTER_OPTIONS,
  async run(context, input) {
    const words = input.words(0)
    const filter = filterOf(input, words)
    const route = 'POST /action-center/approve/:id'
    if (filter !== undefined) {
      const { before, ids } = await confirmApproval(context, filter)
      return decide(context, ids, { route }, { before })
    }
    const { interactive, yes } = context.settings
    // A person sees every leg first. A script is not asked: it names the orders.
    const agreed = interactive && !yes ? await askedFor(context, words) : undefined
    return decide(context, words, { route }, agreed)
  },
}

export const reject: CommandSpec = {
  name: 'reject',
  summary: 'Rejects queued orders; they are never executed.',
  examples: [
    'approval reject 42 --reason "too large"',
    'approval reject --symbol NSE:SBIN --reason "too late" --yes',
  ],
  details: `${SEVERAL}\n${REJECTED_BY_FILTER}`,
  arguments: IDS_OR_FILTER,
  options: [{ flags: '--reason <text>', summary: 'reason; stored with the order' }, ...FILTER_OPTIONS],
  async run(context, input) {
    const reason = input.text('reason')
    const words = input.words(0)
    const filter = filterOf(input, words)
    const ids = filter === undefined ? words : (await confirmRejection(context, filter)).ids
    return decide(context, ids, {
      route: 'POST /action-center/reject/:id',
      body: reason === undefined ? {} : { reason },
    })
  },
}

export const remove: CommandSpec = {
  name: 'delete',
  summary: 'Deletes approved or rejected rows from the queue.',
  examples: ['approval delete 42', 'approval delete 42 43 --yes'],
  details: SEVERAL,
  arguments: IDS,
  async run(context, input) {
    const words = input.words(0)
    const ids = words.map(approvalId)
    let decided: ReadonlySet<string> | undefined
    const { interactive, yes } = context.settings
    if (interactive && !yes) decided = await decidedAmong(context, ids)
    if (decided === undefined || decided.size > 0)
      await context.prompts.confirm(`Delete approval ${[...(decided ?? ids)].join(', ')}`)
    return decide(context, words, { route: 'DELETE /action-center/delete/:id' }, { known: decided })
  },
}

export const approveAll: CommandSpec = {
  name: 'approve-all',
  summary: 'Approves and executes all waiting orders.',
  examples: ['approval approve-all', 'approval approve-all --yes'],
  async run(context) {
    const { body } = await context.read('GET /action-center/count')
    if (body.count === 0) {
      context.out.note('No order waits for approval.')
      return EXIT.done
    }
    const question = `Approve and execute ${countText(body.count, 'waiting order')}`
    let newest: number | null | undefined
    await confirmAct(context, question, async () => {
      const plan = await readPlan(context)
      newest = plan.totals.newest_id
      return lookOf(plan, await sessionDestination(context))
    })
    // Nobody has seen an order that came after this list, also when the list was empty.
    if (newest === null) {
      context.out.note('No order waits for approval any more.')
      return EXIT.done
    }
    const answer = await approveUpTo(context, newest)
    await showAll(context, answer.body)
    const inDoubt = member(answer.body, 'in_doubt') ?? []
    const failed = [
      ...(member(answer.body, 'failed_executions') ?? []),
      ...(member(answer.body, 'partly_executed') ?? []),
    ]
    const tell = ({ order_id: id, error }: { order_id: number; error: string }, more = '') =>
      context.io.stderr.write(`approval ${id}: ${asSentence(error)}${more}\n`)
    for (const one of failed) tell(one)
    for (const one of inDoubt) {
      const look = `svc approval show ${one.order_id}`
      tell(one, ` In doubt: do not send it again. Follow it: ${look}`)
    }
    if (inDoubt.length > 0) return EXIT.unknown
    return failed.length > 0 ? EXIT.refused : EXIT.done
  },
}

/** Approves all waiting orders, or those up to the newest that the user has seen. */
function approveUpTo(context: Context, newest: number | undefined) {
  const rest = {
    followUp: 'Check the queue before you repeat the command: svc approval list --status all',
    timeoutMs: 120_000,
  }
  return newest === undefined
    ? context.change('POST /action-center/approve-all', {}, rest)
    : context.change('POST /action-center/approve-all/:id', { params: { id: String(newest) } }, rest)
}

type AllApproved = RouteAnswer<'POST /action-center/approve-all'>

/** Shows the counts as a sentence. The message of the API says "all 1 orders" and leaves out some counts. */
async function showAll(context: Context, body: AllApproved): Promise<void> {
  const { format } = context.settings
  const count = (name: 'approved_count' | 'executed_count') => Number(member(body, name) ?? 0)
  const size = (name: 'failed_executions' | 'partly_executed' | 'in_doubt') =>
    (member(body, name) ?? []).length
  const parts = [
    `${count('approved_count')} approved`,
    `${count('executed_count')} executed`,
    ...(['failed_executions', 'partly_executed', 'in_doubt'] as const).flatMap((name) =>
      size(name) === 0 ? [] : [`${size(name)} ${OUTCOMES[name]}`],
    ),
  ]
  const record = format === undefined ? { ...body, message: `${parts.join(', ')}.` } : body
  await context.out.record({ record, fields: [{ key: 'message' }], id: 'message' })
}

const OUTCOMES = {
  failed_executions: 'failed',
  partly_executed: 'executed in part',
  in_doubt: 'in doubt',
} as const
