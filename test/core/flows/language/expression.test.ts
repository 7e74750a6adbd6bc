import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evaluate } from '../../../../src/core/flows/language/expression.js'
import { NodeError } from '../../../../src/core/flows/nodes/definition.js'
import { leastTime, timed } from '../../../support/timing.js'

test.each([
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['10 - 4 - 3', 3],
  ['100 / 10 / 5', 2],
  ['2 ** 3 ** 2', 512],
  ['-2**2', -4],
  ['(-2)**2', 4],
  ['2**-1', 0.5],
  ['2 ** -2 ** 2', 0.0625],
  ['-7 % 3', 2],
  ['7 % -3', -2],
  ['-7 % -3', -1],
  ['7.5 % 2', 1.5],
  ['5 - -2', 7],
  ['5 - - -2', 3],
  ['+5', 5],
  ['09 * 60', 540],
  ['.5 + 5.', 5.5],
  ['1.5e3 + 1E-1', 1500.1],
  ['True + True', 2],
  ['false * 5', 0],
  ['  ( ( 1 ) )\n', 1],
  ['-3 ** 2', -9],
  ['10 % 4 * 3', 6],
  ['2 ** 100', 2 ** 100],
  ['0 ** 0', 1],
])('%s is %d', (text, value) => {
  expect(evaluate(text)).toBe(value)
})

test.each([
  ['', 'Empty expression'],
  ['  ', 'Empty expression'],
  ['1 / 0', 'division by zero'],
  ['1 / (2 - 2)', 'division by zero'],
  ['0 ** -1', 'division by zero'],
  ['5 % 0', 'modulo by zero'],
  ['2 ** 101', 'Exponent too large: 101 (max 100)'],
  ['2 ** -101', 'Exponent too large: -101 (max 100)'],
  ['(0 - 8) ** .5', 'The result is not a real number'],
  ['1e308 * 10', 'The result is too large'],
  ['1e999 - 1e999', 'The result is too large'],
  ['7 // 2', 'Unsupported operator: FloorDiv'],
  ['1 << 2', 'Unsupported operator: LShift'],
  ['1 & 2', 'Unsupported operator: BitAnd'],
  ['1 | 2', 'Unsupported operator: BitOr'],
  ['1 ^ 2', 'Unsupported operator: BitXor'],
  ['~1', 'Unsupported operator: Invert'],
  ['1 < 2', 'Unsupported expression type: Compare'],
  ['1 == 1', 'Unsupported expression type: Compare'],
  ['abs(1)', 'Unsupported expression type: Call'],
  ['x + 1', 'Unsupported expression type: Name'],
  ['constructor', 'Unsupported expression type: Name'],
  ['__proto__', 'Unsupported expression type: Name'],
  ['None', 'Unsupported constant: None'],
  ['1 +', 'Invalid expression syntax: it ends too early'],
  ['(1', 'Invalid expression syntax: it ends too early'],
  ['1 2', "Invalid expression syntax: '2' is out of place"],
  ['2x', "Invalid expression syntax: 'x' is out of place"],
  ['2 constructor', "Invalid expression syntax: 'constructor' is out of place"],
  ['2 __proto__', "Invalid expression syntax: '__proto__' is out of place"],
  ['1_000', "Invalid expression syntax: '_000' is out of place"],
  ['0x10', "Invalid expression syntax: 'x10' is out of place"],
  ['1)', "Invalid expression syntax: ')' is out of place"],
  ['{{x}} + 1', "Invalid expression syntax: '{' is out of place"],
  ['1; 2', "Invalid expression syntax: ';' is out of place"],
  ['"a"', "Invalid expression syntax: '\"' is out of place"],
])('%j is refused: %s', (text, message) => {
  expect(() => evaluate(text)).toThrow(new NodeError(message))
})

interface Known {
  text: string
  value: number
  /** Binding strength: 1 sum, 2 product, 3 sign, 4 power, 5 atom. */
  level: number
}

/** An expression with no more parentheses than it needs, and its value. */
const known = fc.letrec<{ any: Known }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 6 },
    fc.nat(50).map((n): Known => ({ text: String(n), value: n, level: 5 })),
    fc
      .tuple(fc.constantFrom('+', '-', '*', '/', '%', '**'), tie('any'), tie('any'))
      .filter(([operator, left, right]) => Number.isFinite(computed(operator, left.value, right.value)))
      .map(([operator, left, right]): Known => {
        const level = LEVELS[operator] ?? 0
        const [a, b] =
          operator === '**'
            ? [within(left, 5), within(right, 3)]
            : [within(left, level), within(right, level + 1)]
        return { text: `${a} ${operator} ${b}`, value: computed(operator, left.value, right.value), level }
      }),
    tie('any').map((inner): Known => ({ text: `-${within(inner, 3)}`, value: -inner.value, level: 3 })),
  ),
})).any

const LEVELS: Readonly<Record<string, number>> = { '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, '**': 4 }

function within({ text, level }: Known, least: number): string {
  return level < least ? `(${text})` : text
}

function computed(operator: string, a: number, b: number): number {
  if (operator === '+') return a + b
  if (operator === '-') return a - b
  if (operator === '*') return a * b
  if (operator === '**') return Math.abs(b) > 100 ? Number.NaN : a ** b
  if (b === 0) return Number.NaN
  if (operator === '/') return a / b
  const rest = a % b
  return rest !== 0 && Math.sign(rest) !== Math.sign(b) ? rest + b : rest
}

test('any expression has the value it was built with', () => {
  fc.assert(
    fc.property(known, ({ text, value }) => {
      expect(evaluate(text)).toBe(value)
      expect(evaluate(text.replaceAll(' ', ''))).toBe(value)
    }),
    { numRuns: 300 },
  )
})

describe('hostile text', () => {
  /**
   * Linear work on this many characters takes some tens of milliseconds; quadratic work takes many seconds.
   */
  const NO_TIME_MS = 2000

  const either = (text: string): void => {
    try {
      expect(Number.isFinite(evaluate(text))).toBe(true)
    } catch (error) {
      expect(error).toBeInstanceOf(NodeError)
    }
  }

  test('of any letters gives a number or a NodeError', () => {
    const letters = fc.constantFrom(
      ...'0123456789.+-*/%() eE_xN<>=!&|^~@"\'{}[],;\t\n\u00a0\ud800π'.split(''),
    )
    fc.assert(fc.property(fc.oneof(fc.string(), fc.string({ unit: letters, maxLength: 60 })), either), {
      numRuns: 500,
    })
  })

  test.each([
    ['parentheses', '('.repeat(10_000)],
    ['signs', '-'.repeat(10_000)],
    ['powers', '2**'.repeat(3_333)],
    ['sums', `${'1+'.repeat(4_999)}1`],
    ['sums and spaces behind', `${'1+'.repeat(2_000)}1${' '.repeat(5_000)}`],
    ['digits', '1'.repeat(10_000)],
    ['digits and a letter', `${'1'.repeat(9_999)}x`],
    ['points', '.'.repeat(10_000)],
    ['names', 'a'.repeat(10_000)],
    ['spaces', ' '.repeat(10_000)],
    ['spaces between', `1${' '.repeat(4_000)}+${' '.repeat(4_000)}1`],
    ['braces', '{{'.repeat(5_000)],
  ])('10,000 of %s are parsed quickly', async (_what, text) => {
    expect(await leastTime(NO_TIME_MS, () => timed(() => either(text)))).toBeLessThan(NO_TIME_MS)
  })

  test('an expression of more than 10,000 characters is not read', () => {
    expect(evaluate('1+1'.padEnd(10_000))).toBe(2)
    expect(() => evaluate('1+1'.padEnd(10_001))).toThrow('The expression is longer than 10000 characters')
  })
})
