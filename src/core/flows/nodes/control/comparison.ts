export const OPERATOR_SIGNS = ['>', '<', '==', '!=', '>=', '<='] as const
export type OperatorSign = (typeof OPERATOR_SIGNS)[number]

/** The operators of conditions. {@link WORDS} has their names in words. */
const COMPARISONS: Readonly<Record<OperatorSign, (left: number, right: number) => boolean>> = {
  '>': (left, right) => left > right,
  '<': (left, right) => left < right,
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '>=': (left, right) => left >= right,
  '<=': (left, right) => left <= right,
}
const WORDS: Readonly<Record<string, OperatorSign>> = {
  gt: '>',
  lt: '<',
  eq: '==',
  neq: '!=',
  gte: '>=',
  lte: '<=',
}

export const OPERATORS: readonly string[] = [...OPERATOR_SIGNS, ...Object.keys(WORDS)]

/** Returns the sign of an operator that is given as a sign or a word; undefined if there is none. */
export function signOf(operator: string): OperatorSign | undefined {
  return Object.hasOwn(WORDS, operator) ? WORDS[operator] : OPERATOR_SIGNS.find((sign) => sign === operator)
}

/** Returns whether `left operator right` holds; false for an operator that is not in {@link OPERATORS}. */
export function holds(left: number, operator: string, right: number): boolean {
  const sign = signOf(operator)
  return sign !== undefined && COMPARISONS[sign](left, right)
}
