/** A part of the text of an `if`, with its index in the text. */
export interface Token {
  kind: OperandKind | 'operator' | 'word' | 'open' | 'close' | 'end'
  text: string
  at: number
}

export type OperandKind = 'reference' | 'number' | 'text' | 'flag' | 'clock'

/** A mistake in the text of an `if`. `at` is its index in the text. */
export class ConditionError extends Error {
  constructor(
    message: string,
    readonly at: number,
  ) {
    super(message)
    this.name = 'ConditionError'
  }
}

/** The first pattern that matches decides. */
const TOKENS: readonly (readonly [RegExp, Token['kind']])[] = [
  [/\{\{[^{}]*\}\}/y, 'reference'],
  [/'[^']*'|"[^"]*"/y, 'text'],
  [/\d{1,2}:\d{2}(?::\d{2})?(?![\w:])/y, 'clock'],
  [/[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.:])/y, 'number'],
  [/[<>]=?|[=!]=/y, 'operator'],
  [/\(/y, 'open'],
  [/\)/y, 'close'],
  [/(?:true|false)(?![\w.])/y, 'flag'],
  [/[\p{L}_][\p{L}\p{N}_.[\]]*/uy, 'word'],
]

/** Signs that people write by habit, and the advice for each. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/&/y, 'Write "and".'],
  [/\|/y, 'Write "or".'],
  [/!/y, 'Write "not".'],
  [/=/y, 'Write "==" to compare.'],
  [/\{\{/y, 'This reference is not closed: "}}" is missing.'],
  [/['"]/y, 'This text is not closed: its second quote is missing.'],
  [/[-+.]?\d/y, 'This is not a number.'],
  [/[-+*/%]/y, 'An "if" does not calculate: compute the value in a mathExpression step before it.'],
]

/** Splits the text of an `if`. @throws ConditionError for a character that has no place in it */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  for (let at = skipSpace(text, 0); at < text.length; ) {
    const [kind, found] = matchAt(TOKENS, text, at) ?? []
    if (kind === undefined || found === undefined) throw unreadable(text, at)
    tokens.push({ kind, text: found, at })
    at = skipSpace(text, at + found.length)
  }
  return [...tokens, { kind: 'end', text: '', at: text.trimEnd().length }]
}

function unreadable(text: string, at: number): ConditionError {
  const [advice] = matchAt(ADVICE, text, at) ?? []
  return new ConditionError(advice ?? `"${text.charAt(at)}" has no meaning in an "if".`, at)
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (/\s/.test(text.charAt(at))) at += 1
  return at
}

function matchAt<T>(
  patterns: readonly (readonly [RegExp, T])[],
  text: string,
  at: number,
): [T, string] | undefined {
  for (const [pattern, meaning] of patterns) {
    pattern.lastIndex = at
    const [found] = pattern.exec(text) ?? []
    if (found !== undefined) return [meaning, found]
  }
  return undefined
}
