import { BrokerError } from '../../broker.js'
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
 * Converts the time of a bar, ISO 8601 with its zone, to epoch seconds. The zone may have no colon: `2017-12-15T09:15:00+0530`.
 * @throws BrokerError `protocol` if it is no time
 */
export function barTime(text: string): number {
  const ms = Date.parse(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'))
  if (Number.isNaN(ms)) throw new BrokerError('protocol', 'A candle has no readable time.', { sent: 'yes' })
  return ms / 1000
}
