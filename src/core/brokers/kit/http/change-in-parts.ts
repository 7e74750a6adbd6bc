import { messageOf } from '../../../errors/index.js'
import { BrokerError } from '../../broker.js'

/** A part of a change: what one call of the broker takes. */
export interface ChangePart {
  /** Names it in errors: `stop leg`. */
  name: string
  send(): Promise<unknown>
}

/**
 * Makes one change with several calls, one after the other, because the broker takes it in parts and not as a whole. A part
 * that fails ends it: the ones after it are not sent.
 * @param subject names what is changed, in errors: `The GTT 12`
 * @throws BrokerError as it is, if the first part fails. After that nothing takes back what is done, so it is half done: `sent`
 * is `maybe`, and the message names the parts that have the new values and the one that failed
 */
export async function changeInParts(subject: string, parts: readonly ChangePart[]): Promise<void> {
  for (const [place, part] of parts.entries()) {
    try {
      await part.send()
    } catch (error) {
      if (place === 0) throw error
      throw halfDone(subject, parts, place, error)
    }
  }
}

function halfDone(
  subject: string,
  parts: readonly ChangePart[],
  failed: number,
  cause: unknown,
): BrokerError {
  const known = cause instanceof BrokerError ? cause : undefined
  const names = (some: readonly ChangePart[]) => some.map(({ name }) => name).join(' and the ')
  const done = `${subject} is changed in part: the ${names(parts.slice(0, failed))} has the new values`
  const isOpen = known === undefined || known.sent === 'maybe'
  const rest = `the ${names(parts.slice(failed))} ${isOpen ? 'may have them' : 'has not'}`
  const reason = messageOf(cause).replace(/\.?$/, '.')
  const message = `${done}, ${rest}: ${reason} Look at it, then change it again or cancel it.`
  return new BrokerError(known?.kind ?? 'protocol', message, {
    brokerStatus: known?.brokerStatus,
    brokerCode: known?.brokerCode,
    retryAfterMs: known?.retryAfterMs,
    sent: 'maybe',
    isHalfDone: true,
    cause,
  })
}
