import { SvcClient } from '../../client/index.js'
import type { Context } from '../framework/context.js'
import { colours } from './output.js'

/** Returns whether a person can use the screen: both ends are a terminal, and no format was asked for. */
export function canShowScreen({ io, settings }: Context): boolean {
  const { format, table, jq, template, interactive } = settings
  const isPlain = [format, table, jq, template].every((one) => one === undefined)
  return isPlain && interactive && io.stdin.isTty && io.stdout.isTty && io.env.TERM !== 'dumb'
}

/** Returns the terminal and the daemon as a full-screen program needs them. */
export async function screenOptions(context: Context) {
  const { io, settings } = context
  const paint = await colours(io.stdout, io, settings)
  return {
    colours: paint.level > 0,
    utc: settings.utc,
    interrupts: io.interrupts(),
    daemon: {
      client(timeoutMs: number) {
        context.refreshTarget()
        return new SvcClient({ url: context.target.url, token: context.sessionToken, timeoutMs })
      },
    },
  }
}
