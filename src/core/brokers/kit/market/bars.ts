import { BrokerError } from '../../broker.js'
import { instantOf } from '../books/stamps.js'
import { notSent } from '../http/outcomes.js'

/** Returns what a broker calls one of our intervals. @throws BrokerError `validation`, never sent, if it has no such */
export function intervalOf<Interval>(intervals: Readonly<Record<string, Interval>>, name: string): Interval {
  const interval = Object.hasOwn(intervals, name) ? intervals[name] : undefined
  if (interval === undefined) {
    const known = Object.keys(intervals).join(', ')
    throw notSent('validation', `Interval ${name} is not one of ${known}.`)
  }
  return interval
}

/**
 * Converts the time of a bar, ISO 8601 with its zone (`2017-12-15T09:15:00+0530`) or a stamp of India, to epoch seconds.
 * @throws BrokerError `protocol` if it is no time
 */
export function barTime(text: string): number {
  const ms = instantOf(text)
  if (ms === 0) throw new BrokerError('protocol', 'A candle has no readable time.', { sent: 'yes' })
  return ms / 1000
}
