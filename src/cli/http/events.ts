import type { JsonObject } from '../../client/answers/json.js'
import { NoAnswerError, StreamError } from '../../client/errors.js'
import { followEvents as followStream } from '../../client/events.js'
import type { Context } from '../framework/context.js'
import { CliError } from '../framework/errors.js'
import { EXIT, type ExitStatus } from '../framework/exit-codes.js'
import { noAnswerError } from './no-answer.js'

/** A frame of the event stream. `raw` is the daemon's own object. */
export interface EventFrame {
  event: string
  seq: number | undefined
  data: JsonObject
  raw: JsonObject
}

const SESSION_ENDED = 4401
const TOO_MANY = 4429
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000

/** The code of a daemon that is starting or stopping. */
const UNAVAILABLE = 'unavailable'

/**
 * Exit statuses of errors that the next attempt may not meet: a restart, or an old connection that the daemon
 * has not dropped yet.
 */
const PASSING: ReadonlySet<ExitStatus> = new Set([EXIT.noDaemon, EXIT.rateLimited])

/**
 * Yields the daemon's events endlessly. When the connection breaks, it reconnects and resumes after the last
 * event, so that nothing recent is missed; it reports a gap that the daemon cannot fill on stderr. It finds the
 * home's daemon again after a restart on another port. Every connection yields its `connected` frame. Throws when the first connection fails or the session ends.
 */
export async function* followEvents(context: Context, since?: number): AsyncGenerator<EventFrame> {
  let [last, pause, everConnected] = [since, FIRST_PAUSE_MS, false]
  for (;;) {
    try {
      for await (const frame of connection(context, last)) {
        if (frame.event === 'connected') {
          ;[everConnected, pause] = [true, FIRST_PAUSE_MS]
          // All kept events were asked for, so none of them is missing.
          if (frame.data.gap && last !== 0)
            await context.out.warn('events were missed: the daemon no longer keeps them')
          last = resumePoint(last, frame.seq)
        } else {
          if (frame.event === 'gap')
            await context.out.warn(`events were missed: the daemon lost ${frame.data.lost} of them`)
          last = frame.seq ?? last
        }
        yield frame
      }
    } catch (thrown) {
      if (!everConnected || !mayPass(thrown)) throw thrown
    }
    context.out.note(`Connection lost; reconnecting in ${(pause / 1000).toFixed(1)} s …`)
    await context.io.sleep(pause)
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS)
    context.refreshTarget()
  }
}

/** Returns whether the next attempt may succeed. */
export function mayPass(error: unknown): boolean {
  return !(error instanceof CliError) || PASSING.has(error.exit) || error.code === UNAVAILABLE
}

/**
 * A replay follows `connected`, so the greeting does not move the position, unless the daemon's numbers have
 * restarted.
 */
function resumePoint(last: number | undefined, newest: number | undefined): number | undefined {
  return last === undefined || (newest !== undefined && newest < last) ? newest : last
}

async function* connection(context: Context, since: number | undefined): AsyncGenerator<EventFrame> {
  const { trust } = context
  const { url } = context.target
  const stream = followStream(url, context.sessionToken, { since, trust, signal: context.io.interrupts() })
  try {
    for await (const { event, seq, data, ts } of stream) {
      yield { event, seq, data, raw: { type: 'event', seq, event, data, ts } }
    }
  } catch (thrown) {
    if (thrown instanceof StreamError) throw refusal(thrown.status, url)
    throw thrown instanceof NoAnswerError ? noAnswerError(context.askedWith('session'), thrown) : thrown
  }
}

function refusal(status: number, url: string): CliError {
  if (status === 401 || status === SESSION_ENDED) return sessionEnded()
  if (status === 403)
    return new CliError(EXIT.denied, 'This token may not follow events.', {
      code: 'forbidden',
      hint: 'It needs the scope read, approvals or orders: svc whoami',
    })
  if (status === TOO_MANY)
    return new CliError(
      EXIT.rateLimited,
      'This session or token has reached its limit of open event streams.',
      {
        code: 'rate_limited',
        hint: 'Close another stream, or create a separate token for this one: svc token create',
      },
    )
  const code = status === 503 ? { code: UNAVAILABLE } : {}
  return new CliError(EXIT.failed, `${url} refused the event stream with status ${status}.`, code)
}

function sessionEnded(): CliError {
  return new CliError(EXIT.denied, 'Not signed in, or the session has ended.', {
    code: 'unauthenticated',
    hint: 'Sign in: svc login',
  })
}
