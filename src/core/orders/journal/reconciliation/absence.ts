import type { BrokerOrder } from '../../../brokers/broker.js'
import { DAY_MS, istDate, istTime, sessionDate, sessionStart } from '../../../time/index.js'
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

/**
 * Returns whether a reading now counts as evidence about an order: it was sent before the close of its exchange, that close is
 * over, the trading day is still the same, and the last reading is long enough ago. An exchange that never closes has none.
 */
export function isDue(
  { createdAt, exchange }: Pick<JournalRow, 'createdAt' | 'exchange'>,
  sessionOf: SessionOf,
  now: number,
  last: Absence | undefined,
): boolean {
  const day = sessionDate(createdAt)
  const session = sessionOf(exchange, day)
  if (!session || day !== sessionDate(now) || session.close - session.open >= DAY_MS - 1_000) return false
  const isAfterClose = createdAt <= session.close && now >= session.close + AFTER_CLOSE_MS
  return isAfterClose && (last === undefined || now >= last.lastAt + READING_PAUSE_MS)
}

/**
 * Returns whether a book certainly is the whole book of an order's day: it lists every order that the broker acknowledged
 * since the day began. After midnight, when a broker may have begun a new book, it must list at least one.
 */
export async function isWholeBook(
  row: JournalRow,
  book: readonly BrokerOrder[],
  doubts: Pick<DoubtStore, 'acknowledged'>,
  readAt: number,
): Promise<boolean> {
  const ids = await doubts.acknowledged(row, sessionStart(row.createdAt), readAt)
  const listed = new Set(book.map(({ orderId }) => orderId))
  const isSameDate = istDate(readAt) === istDate(row.createdAt)
  return ids.every((id) => listed.has(id)) && (isSameDate || ids.length > 0)
}

/** Returns the reason of an order that enough readings have missed. */
export function reasonOf({ firstAt, lastAt, readings }: Absence): string {
  return `The broker never received it: ${readings} readings of its order book after the close, from ${istDate(firstAt)} ${istTime(firstAt)} to ${istTime(lastAt)} IST, did not show it`
}
