import { isObject, member } from '../../../client/answers/json.js'
import type { Approval } from '../../../views/approvals/approval.js'
import { type ApprovalPlan, expectedOf } from '../../../views/approvals/plan.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { each, SEVERAL } from '../../framework/each.js'
import { asSentence, CliError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { confirmAct, sessionDestination } from '../../io/confirm.js'
import type { Output } from '../../output/output.js'
import { approvalId } from '../order/names.js'
import {
  expectedMode,
  isAsked,
  ONLY_MODE,
  QUEUED_MODE,
  requireQueuedMode,
  SEE_AGAIN,
  type Shown,
  withNextStep,
} from './expected.js'
import {
  APPROVED_BY_FILTER,
  type BeforeApproval,
  confirmApproval,
  confirmRejection,
  FILTER_OPTIONS,
  filterOf,
  REJECTED_BY_FILTER,
} from './filter.js'
import { lookOf, nextStep, readPlan, readWholePlan } from './plan.js'
import { findApproval, noSuchApproval } from './queue.js'
import { withinLimit } from './within-limit.js'

/** The action on each approval of the command line. */
interface Decision {
  route:
    | 'POST /action-center/approve/:id'
    | 'POST /action-center/reject/:id'
    | 'DELETE /action-center/delete/:id'
  /** Returns the body of the request for an approval. */
  bodyOf?: (id: string) => object
  /** What was shown of the approvals, as one list: after the first that is no longer as it was shown, none is sent. */
  shown?: Shown
  /** Returns the last sentence about several approvals. */
  told?: (failures: readonly CliError[], words: number) => string
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
  let first: string | undefined
  return each(
    context,
    'approval',
    words,
    async (word, out) => {
      const id = approvalId(word)
      // Nobody was asked about it: it is refused here, and not sent.
      if (known !== undefined && !known.has(id)) await refuse(context, id)
      if (first !== undefined) {
        const why = `Approval ${id} was not approved: approval ${first} is no longer as it was shown.`
        throw new CliError(EXIT.refused, why, { code: 'refused', hint: SEE_AGAIN })
      }
      await before?.(id)
      try {
        await decideOne(context, out, id, decision)
      } catch (thrown) {
        const { shown } = decision
        if (shown?.plan && thrown instanceof CliError && thrown.code === 'not_as_shown') first = id
        throw shown ? withNextStep(thrown, shown) : thrown
      }
    },
    decision.told,
  )
}

/** Returns `1 approved, 1 failed, 1 refused.`, in the words of approve-all. An approval that never reached the daemon is not refused, but not sent. */
export function approvalsTold(failures: readonly CliError[], words: number): string {
  const having = (status: string) =>
    failures.filter(
      (one) => one.exit !== EXIT.unknown && isObject(one.response) && one.response.status === status,
    ).length
  const inDoubt = failures.filter(({ exit }) => exit === EXIT.unknown).length
  // An answer with these is about an order that was approved.
  const [failed, partly] = [having('warning'), having('success')]
  const unsent = failures.filter(isUnsent).length
  const counts = [
    [words - failures.length, 'approved and executed'],
    [failed, 'failed'],
    [failures.length - failed - partly - inDoubt - unsent, 'refused'],
    [unsent, 'not sent'],
    [partly, 'executed in part'],
    [inDoubt, 'in doubt'],
  ] as const
  return `${counts.flatMap(([number, word]) => (number === 0 ? [] : [`${number} ${word}`])).join(', ')}.`
}

/** Returns whether a request got no answer because the daemon was not reached. */
function isUnsent({ exit, response }: CliError): boolean {
  return response === undefined && (exit === EXIT.noDaemon || exit === EXIT.failed)
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
  const body = decision.bodyOf?.(id)
  const call = context.changeCall(decision.route, { params: { id }, body }, { followUp })
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

/** Replaces the refusal of a row that is no longer pending with who decided it, how and when; of one that does not exist, it names the id. */
async function decidedAlready(context: Context, id: string, thrown: unknown): Promise<never> {
  if (thrown instanceof CliError && thrown.code === 'not_found') throw noSuchApproval(id)
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

/** What was asked, and what was shown of it; no plan if the credential may not read. */
interface Asked extends Pick<Agreement, 'known'> {
  plan?: ApprovalPlan | undefined
}

/**
 * Shows what an approval would send, and asks. It leaves out approvals that do not wait: their refusal needs no question.
 * Nothing is known if the credential may not read.
 */
async function askedFor(context: Context, words: readonly string[]): Promise<Asked> {
  const ids = words.map((word) => Number(approvalId(word))).filter((id) => Number.isSafeInteger(id) && id > 0)
  const read = await orDenied(readWholePlan(context, ids).then((plan) => ({ plan })))
  if (read && read.plan === undefined) return { known: new Set() }
  const plan = read?.plan
  const waiting = plan && new Set(plan.orders.map(({ id }) => String(id)))
  const [only, ...others] = waiting === undefined ? words : [...waiting]
  const what = others.length === 0 ? `approval ${only}` : `these ${others.length + 1} approvals`
  const question = `Approve and execute ${what}`
  await confirmAct(context, question, async () =>
    lookOf(plan ?? (await readPlan(context, ids)), await sessionDestination(context)),
  )
  return { known: waiting, plan }
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
export function orDenied<T>(read: Promise<T>): Promise<T | undefined> {
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
  details: `${SEVERAL}\nAfter a question, an order that would no longer send what was shown is refused, with those after it.\n${QUEUED_MODE}\n${APPROVED_BY_FILTER}`,
  arguments: IDS_OR_FILTER,
  options: [ONLY_MODE, ...FILTER_OPTIONS],
  async run(context, input) {
    const words = input.words(0)
    const filter = filterOf(input, words)
    if (filter !== undefined) {
      const { before, ids, plan } = await confirmApproval(context, filter)
      return decide(context, ids, approvalOf(input, { plan, isAsked: isAsked(context) }), { before })
    }
    // A person sees every leg first. A script is not asked: it names the orders.
    const { known, plan } = isAsked(context) ? await askedFor(context, words) : {}
    return decide(context, words, approvalOf(input, { plan, isAsked: isAsked(context) }), { known })
  },
}

/** Returns the decision to approve only what was shown, in the mode that the command or the question names. */
function approvalOf(input: Input, shown: Shown): Decision {
  const { plan } = shown
  const orders = new Map(plan?.orders.map((order) => [String(order.id), order]))
  return {
    route: 'POST /action-center/approve/:id',
    shown,
    told: approvalsTold,
    bodyOf(id) {
      const order = orders.get(id)
      if (order) requireQueuedMode(input, shown, order)
      return { expected: { ...(plan && order && expectedOf(plan, order)), mode: expectedMode(input, shown) } }
    },
  }
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
      bodyOf: () => (reason === undefined ? {} : { reason }),
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
