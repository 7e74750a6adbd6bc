import { z } from 'zod'
import type { BrokerOrder } from '../../../brokers/broker.js'
import {
  addDays,
  DAY_MS,
  istDate,
  istInstant,
  istTime,
  SESSION_ROLLOVER,
  sessionDate,
  sessionStart,
} from '../../../time/index.js'
import type { JournalRow } from '../journal.js'
import type { Absence, DoubtStore } from './doubt-store.js'

/**
 * How many readings after the close must miss an order before it counts as never received, the pause between two of them, and
 * that between the close and the first one. Five over eight minutes: a broker that takes orders late, or a copy of its book
 * that is behind, shows them within that time, and the book still is that of the day.
 */
export const ABSENT_READINGS = 5
export const READING_PAUSE_MS = 2 * 60_000
export const AFTER_CLOSE_MS = 5 * 60_000

/** The hours of an exchange on a date (`YYYY-MM-DD`); undefined if it does not trade. Epoch milliseconds. */
export type SessionOf = (exchange: string, date: string) => { open: number; close: number } | undefined

/** How many days ahead the next trading day is at most. */
const FURTHEST_DAYS = 14

const instructed = z.object({ amo: z.boolean().optional() })

/** The trading day of an order (`YYYY-MM-DD`), and the close of its exchange on it. Epoch milliseconds. */
interface OrderDay {
  date: string
  close: number
}

/** Returns whether an order waits for the next open of its exchange (`amo`). */
function waitsForOpen(request: string): boolean {
  return instructed.safeParse(JSON.parse(request)).data?.amo === true
}

/**
 * Returns the trading day of an order: that of its sending or, for an order that waits for the next open, the first one whose
 * close it was sent before. Undefined for any other order that was sent after the close, and on an exchange that never closes.
 */
export function orderDay(
  { createdAt, exchange, request }: Pick<JournalRow, 'createdAt' | 'exchange' | 'request'>,
  sessionOf: SessionOf,
): OrderDay | undefined {
  const sentOn = sessionDate(createdAt)
  for (let ahead = 0; ahead <= (waitsForOpen(request) ? FURTHEST_DAYS : 0); ahead++) {
    const date = addDays(sentOn, ahead)
    const session = sessionOf(exchange, date)
    if (!session || createdAt > session.close) continue
    return session.close - session.open >= DAY_MS - 1_000 ? undefined : { date, close: session.close }
  }
  return undefined
}

/** Returns the last trading day on which an order can be open: an order is valid for its day, and one that waits for the next. */
export function lastDayOf(
  { exchange, request, since }: Pick<JournalRow, 'exchange' | 'request'> & { since: number },
  sessionOf: SessionOf,
): string {
  const day = waitsForOpen(request) ? orderDay({ createdAt: since, exchange, request }, sessionOf) : undefined
  return day?.date ?? sessionDate(since)
}

/** Returns whether the last trading day of an order is not over. Its exchange may have closed already. */
export function mayTradeToday(
  order: Parameters<typeof lastDayOf>[0],
  now: number,
  sessionOf: SessionOf,
): boolean {
  return lastDayOf(order, sessionOf) >= sessionDate(now)
}

/** Returns the earliest instant at which an order that may trade today can have been sent: it has waited for its open since. */
export function earliestSending(now: number): number {
  return sessionStart(now) - FURTHEST_DAYS * DAY_MS
}

/**
 * Returns whether a reading now counts as evidence about an order: the close of its trading day is over, that day is still
 * the same, and the last reading is long enough ago.
 */
export function isDue({ close, date }: OrderDay, now: number, last: Absence | undefined): boolean {
  if (date !== sessionDate(now) || now < close + AFTER_CLOSE_MS) return false
  return last === undefined || now >= last.lastAt + READING_PAUSE_MS
}

/**
 * Returns whether a book certainly is the whole book of an order's day: it lists every order that the broker acknowledged
 * since the day began. After midnight, when a broker may have begun a new book, it must list at least one.
 */
export async function isWholeBook(
  { date, row }: { date: string; row: JournalRow },
  book: readonly BrokerOrder[],
  doubts: Pick<DoubtStore, 'acknowledged'>,
  readAt: number,
): Promise<boolean> {
  const ids = await doubts.acknowledged(row, istInstant(date, SESSION_ROLLOVER), readAt)
  const listed = new Set(book.map(({ orderId }) => orderId))
  const isSameDate = istDate(readAt) === date
  return ids.every((id) => listed.has(id)) && (isSameDate || ids.length > 0)
}

/** Returns the reason of an order that enough readings have missed. */
export function reasonOf({ firstAt, lastAt, readings }: Absence): string {
  return `The broker never received it: ${readings} readings of its order book after the close, from ${istDate(firstAt)} ${istTime(firstAt)} to ${istTime(lastAt)} IST, did not show it`
}
