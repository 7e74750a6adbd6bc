import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import type { RunningService } from '../../daemon.js'
import { unauthenticated } from '../../middleware/session.js'
import type { AppEnv } from '../../process/env.js'
import { BANNED } from '../admission/client-bans.js'
import { type LineSource, streamLines } from './ndjson.js'

/**
 * Streams lines to a signed-in caller, as {@link streamLines} does. The stream ends with the caller's session or token, and
 * when the caller's address is banned.
 * @param farewell the last line when the session or token ends
 * @throws ServiceError `unauthenticated`, `forbidden` when that happened while the request was read
 */
export function streamLinesToCaller(
  c: Context<AppEnv>,
  { daemon: { clientBans }, identity }: Pick<RunningService, 'daemon' | 'identity'>,
  begin: LineSource,
  farewell?: object,
): Response {
  const principal = c.get('principal')
  const { incoming, outgoing } = c.env
  if (!identity.isCurrent(principal)) throw unauthenticated()
  if (incoming && clientBans.isClosedTo(incoming)) throw new ServiceError('forbidden', BANNED)
  return streamLines(c, (sink) => {
    const stop = begin(sink)
    const forget = identity.onEndOf(principal, () => {
      if (farewell) sink.send(farewell)
      sink.end()
    })
    if (incoming && outgoing) {
      clientBans.keep(incoming, {
        destroy: () => sink.end(),
        once: (event, listener) => outgoing.once(event, listener),
      })
    }
    return () => {
      forget()
      stop()
    }
  })
}
