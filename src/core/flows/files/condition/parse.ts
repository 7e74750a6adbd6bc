import { OPERATOR_SIGNS, type OperatorSign } from '../../nodes/control/comparison.js'
import { ConditionError, type OperandKind, type Token, tokensOf } from './tokens.js'

/**
 * The text of an `if`: comparisons joined by `and`, `or`, `not` and parentheses.
 *
 * ```text
 * either     = both { "or" both }
 * both       = negated { "and" negated }
 * negated    = "not" negated | "(" either ")" | comparison
 * comparison = operand operator operand
 * operand    = {{reference}} | number | 'text' | "text" | true | false | 09:30
 * ```
 */
export type Condition = Comparison | Junction | { kind: 'not'; term: Condition }

export interface Junction {
  kind: 'and' | 'or'
  /** Two or more; none of them is a junction of the same kind. */
  terms: readonly Condition[]
}

/** A comparison of numbers or texts (`values`), or of `{{time}}` with a time of day (`clock`). */
export interface Comparison {
  kind: 'values' | 'clock'
  left: Operand
  operator: OperatorSign
  right: Operand
}

/** An operand as written, with its index in the text. */
export interface Operand {
  kind: OperandKind
  text: string
  at: number
}

const MAX_DEPTH = 50
const LATEST_CLOCK = [23, 59, 59]
const IS_TIME = /^\{\{\s*time\s*\}\}$/

/** Parses the text of an `if`. @throws ConditionError at the first mistake */
export function parseCondition(text: string): Condition {
  return new Parser(tokensOf(text)).whole()
}

class Parser {
  #place = 0
  #depth = 0

  constructor(private readonly tokens: readonly Token[]) {}

  whole(): Condition {
    if (this.#peek().kind === 'end') throw new ConditionError('This "if" is empty.', 0)
    const condition = this.#either()
    const rest = this.#peek()
    if (rest.kind === 'end') return condition
    if (rest.kind === 'close') throw new ConditionError('This ")" has no "(".', rest.at)
    if (rest.kind === 'operator') {
      throw new ConditionError('Each comparison has one operator: join two comparisons with "and".', rest.at)
    }
    throw new ConditionError(`"and" or "or" is missing before ${shown(rest)}.${wordAdvice(rest)}`, rest.at)
  }

  #either(): Condition {
    return this.#joined('or', () => this.#both())
  }

  #both(): Condition {
    return this.#joined('and', () => this.#negated())
  }

  #joined(kind: 'and' | 'or', next: () => Condition): Condition {
    const terms = [next()]
    while (this.#takeWord(kind)) terms.push(next())
    const [only, second] = terms
    if (only !== undefined && second === undefined) return only
    // `(a and b) and c` is the same condition as `a and b and c`.
    return { kind, terms: terms.flatMap((term) => (term.kind === kind ? term.terms : [term])) }
  }

  #negated(): Condition {
    if (this.#takeWord('not')) return { kind: 'not', term: this.#nested(() => this.#negated()) }
    const open = this.#peek()
    if (open.kind !== 'open') return this.#comparison()
    this.#place += 1
    const condition = this.#nested(() => this.#either())
    if (this.#peek().kind !== 'close') throw new ConditionError('This "(" has no ")".', open.at)
    this.#place += 1
    return condition
  }

  #comparison(): Comparison {
    const left = this.#operand()
    const { kind, text, at } = this.#peek()
    const operator = OPERATOR_SIGNS.find((sign) => sign === text)
    if (kind !== 'operator' || operator === undefined) {
      const example = left.kind === 'reference' ? `, such as ${left.text} == true` : ''
      throw new ConditionError(`A comparison is missing after ${left.text}${example}.`, at)
    }
    this.#place += 1
    return comparison(left, { operator, at }, this.#operand())
  }

  #operand(): Operand {
    const token = this.#peek()
    const { kind, text, at } = token
    if (isOperandKind(kind)) {
      this.#place += 1
      return { kind, text, at }
    }
    if (kind === 'end') throw new ConditionError('This "if" ends too early: a value is missing.', at)
    throw new ConditionError(`A value is missing before ${shown(token)}.${wordAdvice(token)}`, at)
  }

  #nested(inside: () => Condition): Condition {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new ConditionError('This is nested too deeply.', this.#peek().at)
    const condition = inside()
    this.#depth -= 1
    return condition
  }

  #peek(): Token {
    return this.tokens[this.#place] ?? { kind: 'end', text: '', at: 0 }
  }

  #takeWord(word: string): boolean {
    const { kind, text } = this.#peek()
    if (kind !== 'word' || text !== word) return false
    this.#place += 1
    return true
  }
}

function isOperandKind(kind: Token['kind']): kind is OperandKind {
  return kind === 'reference' || kind === 'number' || kind === 'text' || kind === 'flag' || kind === 'clock'
}

const shown = ({ kind, text }: Token): string => (kind === 'end' ? 'the end' : `"${text}"`)

/** Returns advice for a word without quotes or braces. */
function wordAdvice({ kind, text }: Token): string {
  if (kind !== 'word') return ''
  const lower = text.toLowerCase()
  if (['and', 'or', 'not'].includes(lower)) return lower === text ? '' : ` Write "${lower}".`
  return ` Write a variable as {{${text}}}, and text in quotes.`
}

/** Returns a comparison whose sides fit together. @throws ConditionError if they do not */
function comparison(
  left: Operand,
  { operator, at }: { operator: OperatorSign; at: number },
  right: Operand,
): Comparison {
  const isClock = left.kind === 'clock' || right.kind === 'clock' || IS_TIME.test(left.text)
  if (isClock || IS_TIME.test(right.text)) return clockComparison(left, { operator, at }, right)
  const literal = [left, right].find(({ kind }) => kind === 'text')
  if (literal !== undefined) {
    if (operator !== '==' && operator !== '!=') {
      throw new ConditionError('Texts are compared only with == and !=.', at)
    }
    const number = [left, right].find(({ kind }) => kind === 'number' || kind === 'flag')
    if (number !== undefined) {
      throw new ConditionError(`${number.text} is never equal to a text: write both sides alike.`, number.at)
    }
  }
  return { kind: 'values', left, operator, right }
}

function clockComparison(
  left: Operand,
  { operator, at }: { operator: OperatorSign; at: number },
  right: Operand,
): Comparison {
  if (!IS_TIME.test(left.text)) {
    throw new ConditionError('Only {{time}} is compared with a time of day: {{time}} >= 09:30.', left.at)
  }
  if (right.kind !== 'clock') {
    throw new ConditionError('{{time}} is compared with a time of day: {{time}} >= 09:30.', right.at)
  }
  if (operator === '!=') throw new ConditionError('Times are compared with <, <=, >, >= and ==.', at)
  const parts = right.text.split(':').map(Number)
  if (parts.some((part, index) => part > (LATEST_CLOCK[index] ?? 0))) {
    throw new ConditionError(`${right.text} is not a time of day.`, right.at)
  }
  return { kind: 'clock', left, operator, right }
}
