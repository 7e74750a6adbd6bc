import { CronExpressionParser } from 'cron-parser'

const ZONE = 'Asia/Kolkata'

/** Returns the last instant of a cron expression (IST) up to and including `upTo`, in epoch milliseconds. */
export function lastDue(cron: string, upTo: number): number {
  // `prev` leaves out its own instant.
  return parse(cron, upTo + 1000)
    .prev()
    .getTime()
}

/** Returns the first instant of a cron expression (IST) after `after`, in epoch milliseconds. */
export function nextDue(cron: string, after: number): number {
  return parse(cron, after).next().getTime()
}

function parse(cron: string, currentDate: number) {
  return CronExpressionParser.parse(cron, { tz: ZONE, currentDate })
}
