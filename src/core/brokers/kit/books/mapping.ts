import type { BrokerContext } from '../../broker.js'

/** Returns our word for each of the broker's, from the table of the broker's word for each of ours. */
export function reversed<Ours extends string>(
  words: Readonly<Partial<Record<Ours, string>>>,
): Readonly<Record<string, Ours>> {
  const ours: Record<string, Ours> = {}
  for (const word in words) {
    const theirs = words[word]
    if (theirs !== undefined) ours[theirs] = word
  }
  return ours
}

/** Reads a table of the broker's words. One that is not in it is logged and becomes `fallback`. */
export function mapped<T>(
  context: Pick<BrokerContext, 'log'>,
  field: string,
  table: Readonly<Record<string, T>>,
  value: string,
  fallback: T,
): T {
  const found = Object.hasOwn(table, value) ? table[value] : undefined
  if (found !== undefined) return found
  context.log.warn('broker.unknown_value', { field, value, readAs: fallback })
  return fallback
}
