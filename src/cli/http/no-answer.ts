import { failureOf } from '../../client/transport/exchange.js'
import { CliError } from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'

/** The system's error code when nothing listens at an address. Any other failure may have met a daemon that runs. */
const NOTHING_LISTENS = 'ECONNREFUSED'

/** Returns the error of a read, or of a change that was never sent, that got no whole answer. */
export function noAnswerError(url: string, thrown: unknown): CliError {
  const { code, reason, sent } = failureOf(thrown)
  if (code === NOTHING_LISTENS) {
    return new CliError(EXIT.noDaemon, `No daemon answers at ${url} (${code}).`, {
      code: 'no_daemon',
      hint: 'Start it: svc up --detach',
      cause: thrown,
    })
  }
  if (!sent) {
    return new CliError(EXIT.noDaemon, `The address ${url} cannot be reached (${reason}).`, {
      code: 'unreachable',
      hint: 'Check the network, and the address in --url or SVC_URL.',
      cause: thrown,
    })
  }
  return new CliError(EXIT.noDaemon, `No whole answer came from ${url} (${reason}).`, {
    code: 'broken_answer',
    hint: 'Try again. If it happens again: svc status, svc doctor',
    cause: thrown,
  })
}
