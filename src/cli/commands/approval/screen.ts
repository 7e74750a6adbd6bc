import type { Context } from '../../framework/context.js'
import { interruptedError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { screenOptions } from '../../output/screen.js'

/** Shows the queue on the whole terminal until the user leaves it. */
export async function showScreen(context: Context): Promise<ExitStatus> {
  const { watchApprovals } = await import('../../../tui/approvals/index.js')
  const { interrupted, unanswered } = await watchApprovals(await screenOptions(context))
  if (!interrupted) return EXIT.done
  const doubt = unanswered.map((id) => `svc approval show ${id}`).join('; ')
  throw interruptedError(
    doubt === '' ? undefined : `Interrupted: the daemon may have decided an order. Check: ${doubt}`,
  )
}
