import { LIMITS } from '../graph/graph.js'
import { NodeError } from '../nodes/definition.js'

/**
 * The arithmetic of the mathExpression node: numbers, `+ - * / % **`, signs and parentheses, with Python's
 * precedence and remainder. No library has exactly this grammar, so the parser is our own. Nothing is
 * evaluated as code.
 */

const TOO_LONG = `The expression is longer than ${LIMITS.expressionLength} characters`
const MAX_EXPONENT = 100
const MAX_DEPTH = 200
const TOKEN =
  /\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(\*\*|\/\/|[-+*/%()]|<<|>>|[<>=!]=|[<>&|^~@])|([\p{L}_][\p{L}\p{N}_]*)|(\S))/uy

/** Names of Python operators that this grammar lacks, as Python's error messages give them. */
const FOREIGN_OPERATORS: Readonly<Record<string, string>> = {
  '//': 'FloorDiv',
  '<<': 'LShift',
  '>>': 'RShift',
  '&': 'BitAnd',
  '|': 'BitOr',
  '^': 'BitXor',
  '@': 'MatMult',
  '~': 'Invert',
}
const COMPARISONS = ['<', '>', '<=', '>=', '==', '!=']
const CONSTANTS: Readonly<Record<string, number>> = { True: 1, False: 0, true: 1, false: 0 }

type Token =
  | { kind: 'number'; value: number }
  | { kind: 'operator' | 'name' | 'other'; text: string }
  | { kind: 'end' }

/** Returns the value of an expression. @throws NodeError if it is too long, or cannot be parsed or computed */
export function evaluate(expression: string): number {
  if (expression.length > LIMITS.expressionLength) throw new NodeError(TOO_LONG)
  if (expression.trim() === '') throw new NodeError('Empty expression')
  const value = new Evaluation(tokensOf(expression)).whole()
  if (!Number.isFinite(value)) throw new NodeError('The result is too large')
  return value
}

function tokensOf(expression: string): Token[] {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  const text = expression.trimEnd()
  while (TOKEN.lastIndex < text.length) {
    const [, number, operator, name, other = ''] = TOKEN.exec(text) ?? []
    if (number !== undefined) tokens.push({ kind: 'number', value: Number(number) })
    else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator })
    else if (name !== undefined) tokens.push({ kind: 'name', text: name })
    else tokens.push({ kind: 'other', text: other })
  }
  tokens.push({ kind: 'end' })
  return tokens
}

/** A recursive descent parser that computes the value while it parses. */
class Evaluation {
  #place = 0
  #depth = 0

  constructor(private readonly tokens: readonly Token[]) {}

  whole(): number {
    const value = this.#sum()
    const { kind } = this.#peek()
    if (kind !== 'end') throw this.#unexpected()
    return value
  }

  #sum(): number {
    let value = this.#product()
    for (;;) {
      if (this.#take('+')) value += this.#product()
      else if (this.#take('-')) value -= this.#product()
      else return value
    }
  }

  #product(): number {
    let value = this.#signed()
    for (;;) {
      if (this.#take('*')) value *= this.#signed()
      else if (this.#take('/')) value /= notZero(this.#signed(), 'division by zero')
      else if (this.#take('%')) value = remainder(value, notZero(this.#signed(), 'modulo by zero'))
      else return value
    }
  }

  #signed(): number {
    return this.#nested(() => {
      if (this.#take('+')) return this.#signed()
      if (this.#take('-')) return -this.#signed()
      return this.#power()
    })
  }

  /** A power binds tighter than a sign before it and looser than a sign after it, from right to left. */
  #power(): number {
    const base = this.#atom()
    if (!this.#take('**')) return base
    const exponent = this.#signed()
    if (Math.abs(exponent) > MAX_EXPONENT) {
      throw new NodeError(`Exponent too large: ${exponent} (max ${MAX_EXPONENT})`)
    }
    if (base === 0 && exponent < 0) throw new NodeError('division by zero')
    const value = base ** exponent
    if (Number.isNaN(value)) throw new NodeError('The result is not a real number')
    return value
  }

  #atom(): number {
    const token = this.#peek()
    if (token.kind === 'number') {
      this.#place += 1
      return token.value
    }
    if (token.kind === 'name') return this.#name(token.text)
    if (!this.#take('(')) throw this.#unexpected()
    const value = this.#nested(() => this.#sum())
    if (!this.#take(')')) throw this.#unexpected()
    return value
  }

  #name(text: string): number {
    const constant = Object.hasOwn(CONSTANTS, text) ? CONSTANTS[text] : undefined
    if (text === 'None') throw new NodeError('Unsupported constant: None')
    this.#place += 1
    if (constant !== undefined) return constant
    const called = this.#peek()
    const kind = called.kind === 'operator' && called.text === '(' ? 'Call' : 'Name'
    throw new NodeError(`Unsupported expression type: ${kind}`)
  }

  #nested(inner: () => number): number {
    this.#depth += 1
    if (this.#depth > MAX_DEPTH) throw new NodeError('Invalid expression syntax: nested too deeply')
    const value = inner()
    this.#depth -= 1
    return value
  }

  #peek(): Token {
    return this.tokens[this.#place] ?? { kind: 'end' }
  }

  #take(operator: string): boolean {
    const token = this.#peek()
    if (token.kind !== 'operator' || token.text !== operator) return false
    this.#place += 1
    return true
  }

  #unexpected(): NodeError {
    const token = this.#peek()
    if (token.kind === 'end') return new NodeError('Invalid expression syntax: it ends too early')
    if (token.kind === 'number')
      return new NodeError(`Invalid expression syntax: '${token.value}' is out of place`)
    if (Object.hasOwn(FOREIGN_OPERATORS, token.text)) {
      return new NodeError(`Unsupported operator: ${FOREIGN_OPERATORS[token.text]}`)
    }
    if (COMPARISONS.includes(token.text)) return new NodeError('Unsupported expression type: Compare')
    return new NodeError(`Invalid expression syntax: '${token.text}' is out of place`)
  }
}

function notZero(value: number, message: string): number {
  if (value === 0) throw new NodeError(message)
  return value
}

/** Returns the remainder with the sign of the divisor: `-7 % 3` is 2. */
function remainder(left: number, right: number): number {
  const rest = left % right
  return rest !== 0 && rest < 0 !== right < 0 ? rest + right : rest
}
