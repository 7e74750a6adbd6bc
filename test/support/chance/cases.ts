import { test } from 'vitest'
import { TORTURE } from './chance.js'

/**
 * Returns every case of a table for `npm run torture`, and for `npm test` the ones that represent it. Choose at least one
 * for each promise and for each kind of fault, by a name or a rule. For tests of the projects that torture runs: `deep` and
 * `e2e`.
 * @param isUsual whether `npm test` runs this case too
 * @throws when no case is left: a name has changed, and the test would pass without doing anything
 */
export function casesFor<Case>(
  all: readonly Case[],
  isUsual: (each: Case, index: number) => boolean,
): readonly Case[] {
  const usual = all.filter(isUsual)
  if (usual.length === 0) throw new Error(`npm test runs none of the ${all.length} cases`)
  return TORTURE ? all : usual
}

/**
 * Returns each row with each column for `npm run torture`. `npm test` takes each row and each column at least once: the
 * first row with the first column, the second with the second, and the shorter list again from its start.
 */
export function pairsFor<Row, Column>(
  rows: readonly Row[],
  columns: readonly Column[],
): readonly (readonly [Row, Column])[] {
  const pairs = rows.flatMap((row, down) =>
    columns.map((column, across) => ({ down, across, pair: [row, column] as const })),
  )
  const isUsual = ({ down, across }: { down: number; across: number }): boolean =>
    rows.length < columns.length ? across % rows.length === down : down % columns.length === across
  return casesFor(pairs, isUsual).map(({ pair }) => pair)
}

/** Registers a test for `npm run torture` alone. `npm test` does not count it as skipped. */
export function testInTorture(name: string, body: () => Promise<void>, timeout?: number): void {
  if (TORTURE) test(name, body, timeout)
}
