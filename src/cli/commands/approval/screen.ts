import { SvcClient } from '../../../client/index.js'
import type { Context } from '../../framework/context.js'
import { interruptedError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { colours } from '../../output/output.js'

/** Returns whether a person can use the screen: both ends are a terminal, and no format was asked for. */
export function canShowScreen({ io, settings }: Context): boolean {
  const { format, table, jq, template, interactive } = settings
  const isPlain = [format, table, jq, template].every((one) => one === undefined)
  return isPlain && interactive && io.stdin.isTty && io.stdout.isTty && io.env.TERM !== 'dumb'
}

/** Shows the queue on the whole terminal until the user leaves it. */
export async function showScreen(context: Context): Promise<ExitStatus> {
  const { io, settings } = context
  const { watchApprovals } = await import('../../../tui/approvals/index.js')
  const paint = await colours(io.stdout, io, settings)
  const { interrupted, unanswered } = await watchApprovals({
    colours: paint.level > 0,
    utc: settings.utc,
    interrupts: io.interrupts(),
    daemon: {
      client(timeoutMs) {
        context.refreshTarget()
        return new SvcClient({ url: context.target.url, token: context.sessionToken, timeoutMs })
      },
    },
  })
  if (!interrupted) return EXIT.done
  const doubt = unanswered.map((id) => `svc approval show ${id}`).join('; ')
  throw interruptedError(
    doubt === '' ? undefined : `Interrupted: the daemon may have decided an order. Check: ${doubt}`,
  )
}
