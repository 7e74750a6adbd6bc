/** The operators of conditions. {@link WORDS} has their names in words. */
const COMPARISONS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '>': (left, right) => left > right,
  '<': (left, right) => left < right,
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '>=': (left, right) => left >= right,
  '<=': (left, right) => left <= right,
}
const WORDS: Readonly<Record<string, string>> = {
  gt: '>',
  lt: '<',
  eq: '==',
  neq: '!=',
  gte: '>=',
  lte: '<=',
}

export const OPERATORS = [...Object.keys(COMPARISONS), ...Object.keys(WORDS)]

/** Returns whether `left operator right` holds; false for an operator that is not in {@link OPERATORS}. */
export function holds(left: number, operator: string, right: number): boolean {
  const known = Object.hasOwn(WORDS, operator) ? WORDS[operator] : operator
  if (known === undefined || !Object.hasOwn(COMPARISONS, known)) return false
  return COMPARISONS[known]?.(left, right) ?? false
}
