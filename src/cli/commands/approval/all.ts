import { member } from '../../../client/answers/json.js'
import type { RouteAnswer } from '../../../client/endpoints.js'
import { type ApprovalPlan, expectedOfAll } from '../../../views/approvals/plan.js'
import { countText } from '../../../views/text/count.js'
import type { CommandSpec, Input } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { asSentence } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { confirmAct, sessionDestination } from '../../io/confirm.js'
import { orDenied } from './decide.js'
import { expectedMode, isAsked, nextStepOf, ONLY_MODE, QUEUED_MODE, type Shown } from './expected.js'
import { lookOf, readPlan, readWholePlan } from './plan.js'
import { readQueue } from './queue.js'

/** The orders that one question is about: more are neither read by a person nor sent in one request. */
const MOST_LEGS = 1000

export const approveAll: CommandSpec = {
  name: 'approve-all',
  summary: 'Approves and executes all waiting orders, oldest first.',
  examples: ['approval approve-all', 'approval approve-all --yes'],
  details: `On a terminal it shows every order that is sent, and asks. It ends with the first order that would send something else than was shown: that one and those after it stay in the queue.\n${QUEUED_MODE}`,
  options: [ONLY_MODE],
  async run(context, input) {
    const { body } = await context.read('GET /action-center/count')
    if (body.count === 0) {
      context.out.note('No order waits for approval.')
      return EXIT.done
    }
    const shown = await confirmed(context, body.count)
    if (shown === undefined) {
      // Nobody has seen an order that came after this list, also when the list was empty.
      context.out.note('No order waits for approval any more.')
      return EXIT.done
    }
    const answer = await approveShown(context, input, shown)
    await showAll(context, answer.body)
    const left = body.count - (shown.plan?.orders.length ?? body.count)
    if (left > 0) context.out.note(`${countText(left, 'order')} more: repeat the command to see them.`)
    return tellFailures(context, answer.body, shown)
  },
}

/** Shows what the approval of all waiting orders would send, and asks; undefined if none waits any more. */
async function confirmed(context: Context, count: number): Promise<Shown | undefined> {
  const asked = isAsked(context)
  const read = asked ? await orDenied(readAll(context).then((plan) => ({ plan }))) : undefined
  if (read && read.plan === undefined) return undefined
  const plan = read?.plan
  const question = `Approve and execute ${countText(plan?.orders.length ?? count, 'waiting order')}`
  await confirmAct(context, question, async () =>
    lookOf(plan ?? (await readPlan(context)), await sessionDestination(context)),
  )
  return { plan, isAsked: asked }
}

async function readAll(context: Context): Promise<ApprovalPlan | undefined> {
  const waiting = await readQueue(context, { status: 'pending', prices: 'false' })
  return readWholePlan(
    context,
    waiting.map(({ id }) => id),
    MOST_LEGS,
  )
}

/** Approves the orders that the user has seen; all, where nobody was asked. */
function approveShown(context: Context, input: Input, shown: Shown) {
  const { plan } = shown
  const body = { expected: { ...(plan && expectedOfAll(plan)), mode: expectedMode(input, shown) } }
  const rest = {
    followUp: 'Check the queue before you repeat the command: svc approval list --status all',
    timeoutMs: 120_000,
  }
  return context.change('POST /action-center/approve-all', { body }, rest)
}

type AllApproved = RouteAnswer<'POST /action-center/approve-all'>

/** Names the orders that were not placed, or whose outcome is not known. @returns the exit status */
function tellFailures(context: Context, body: AllApproved, shown: Shown): ExitStatus {
  const inDoubt = member(body, 'in_doubt') ?? []
  const failed = [...(member(body, 'failed_executions') ?? []), ...(member(body, 'partly_executed') ?? [])]
  const tell = ({ order_id: id, error }: { order_id: number; error: string }, more = '') =>
    context.io.stderr.write(`approval ${id}: ${asSentence(error)}${more}\n`)
  for (const one of failed) tell(one)
  if (failed.some(({ error }) => error.startsWith('Not approved: '))) context.out.note(nextStepOf(shown))
  for (const one of inDoubt) {
    const look = `svc approval show ${one.order_id}`
    tell(one, ` In doubt: do not send it again. Follow it: ${look}`)
  }
  if (inDoubt.length > 0) return EXIT.unknown
  return failed.length > 0 ? EXIT.refused : EXIT.done
}

/** Shows the counts as a sentence. The message of the API says "all 1 orders" and leaves out some counts. */
async function showAll(context: Context, body: AllApproved): Promise<void> {
  const { format } = context.settings
  const count = (name: 'approved_count' | 'executed_count') => Number(member(body, name) ?? 0)
  const size = (name: 'failed_executions' | 'refused' | 'partly_executed' | 'in_doubt') =>
    (member(body, name) ?? []).length
  const refused = size('refused')
  const others = [
    // Its list has the refused ones, too.
    [size('failed_executions') - refused, 'failed'],
    [refused, 'refused and still pending'],
    [size('partly_executed'), 'executed in part'],
    [size('in_doubt'), 'in doubt'],
  ] as const
  const parts = [
    `${count('approved_count')} approved`,
    `${count('executed_count')} executed`,
    ...others.flatMap(([number, word]) => (number === 0 ? [] : [`${number} ${word}`])),
  ]
  const record = format === undefined ? { ...body, message: `${parts.join(', ')}.` } : body
  await context.out.record({ record, fields: [{ key: 'message' }], id: 'message' })
}
