import type { ApprovalPlan, PlannedOrder } from '../../../views/approvals/plan.js'
import type { Input } from '../../framework/command/command.js'
import type { OptionSpec } from '../../framework/command/option.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { MODE_OPTION } from '../order/send.js'

/** The option of the commands that approve. */
export const ONLY_MODE: OptionSpec = {
  ...MODE_OPTION,
  summary: 'approve nothing unless orders are live, or simulated (analyze), in that moment',
}

/** What the help of these commands says of the mode. */
export const QUEUED_MODE =
  'Without a question, an order that was queued in another mode than it would be sent in is refused, and stays in the queue: name the mode by --only-mode. The question names such orders.'

/** What a person saw before the approval. */
export interface Shown {
  /** Undefined if nothing was shown. */
  plan?: ApprovalPlan | undefined
  /** A person has answered a question. */
  isAsked: boolean
}

/** Returns whether a person at a terminal answers a question before the approval. */
export function isAsked({ settings }: Context): boolean {
  return settings.interactive && !settings.yes
}

/**
 * Returns the mode in which alone orders may be sent: that of the command line, that of what was shown, or else the one in
 * which each was queued.
 */
export function expectedMode(input: Input, { plan }: Shown): 'live' | 'analyze' | 'queued' {
  return givenMode(input) ?? plan?.mode ?? 'queued'
}

function givenMode(input: Input): 'live' | 'analyze' | undefined {
  const given = input.text('onlyMode')
  return given === 'live' || given === 'analyze' ? given : undefined
}

/**
 * Refuses an order that was queued in another mode than it would be sent in, where it was shown and nobody has agreed.
 * @throws CliError `not_as_shown`
 */
export function requireQueuedMode(
  input: Input,
  { isAsked: asked }: Shown,
  { id, mode_change: change }: Pick<PlannedOrder, 'id' | 'mode_change'>,
): void {
  if (change === undefined || asked || givenMode(input) !== undefined) return
  throw new CliError(EXIT.refused, `Approval ${id} was not approved: ${change}. The order stays pending.`, {
    code: 'not_as_shown',
  })
}

/** Gives the refusal of an approval that would do something else its next step. */
export function withNextStep(thrown: unknown, shown: Shown): unknown {
  if (!(thrown instanceof CliError) || thrown.code !== 'not_as_shown') return thrown
  const { code, exit, message, requestId, response } = thrown
  const known = { code, response, hint: nextStepOf(shown), ...(requestId !== undefined && { requestId }) }
  return new CliError(exit, message, known)
}

/** The next step after an approval that would no longer do what was shown. */
export const SEE_AGAIN = 'Repeat the command to see what is sent now.'
const NAME_MODE = 'To send it in another mode than it was queued in, name that mode: --only-mode live'

/** Returns the next step after a refusal of what is not as it was shown. */
export function nextStepOf({ isAsked: asked, plan }: Shown): string {
  if (plan === undefined) return NAME_MODE
  return asked ? SEE_AGAIN : `${SEE_AGAIN} ${NAME_MODE}`
}
