import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  interpolate,
  interpolateAll,
  interpolatedText,
  resolve,
  type Scope,
  segmentsOf,
  unresolvedIn,
} from '../../../../src/core/flows/language/interpolation.js'
import { NodeError } from '../../../../src/core/flows/nodes/definition.js'

const VARIABLES: Readonly<Record<string, unknown>> = {
  n: 65,
  f: 812.5,
  whole: 65.0,
  tiny: 1e-7,
  yes: true,
  no: false,
  zero: 0,
  empty: '',
  nil: null,
  list: [1, [2, 3], { k: 'v' }],
  o: { a: { b: [{ c: 'deep' }] }, '0': 'key zero', 'a b': 'spaced', 'x-y': 'hyphen', nil: null },
  text: 'abc',
  date: { x: 'mine' },
  braces: '{{n}}',
  money: '$& $1 $$',
}

const BUILT_IN = new Map([
  ['date', '2026-08-04'],
  ['hour', '09'],
])

function scopeOf(variables: Readonly<Record<string, unknown>> = VARIABLES): Scope {
  return {
    builtin: (name) => BUILT_IN.get(name),
    variables: new Map(Object.entries(variables)),
    secret: (kind, name) => (name === 'k' ? `${kind}!` : undefined),
  }
}

describe('a reference', () => {
  test.each([
    ['a number in its shortest form', '{{n}} {{f}} {{whole}} {{tiny}} {{zero}}', '65 812.5 65 1e-7 0'],
    ['a yes and a no', '{{yes}}/{{no}}', 'true/false'],
    ['an empty text', '[{{empty}}]', '[]'],
    ['a list and an object as JSON', '{{list}}', '[1,[2,3],{"k":"v"}]'],
    ['a way down', '{{o.a.b[0].c}}', 'deep'],
    ['indexes one after another', '{{list[1][0]}}', '2'],
    ['a key of an item', '{{list[2].k}}', 'v'],
    ['a key that is a digit', '{{o.0}}', 'key zero'],
    ['keys with spaces and hyphens', '{{o.a b}} {{o.x-y}}', 'spaced hyphen'],
    ['spaces around it', '{{  n  }}', '65'],
    ['a built-in, which hides a variable', '{{date}} {{hour}}', '2026-08-04 09'],
    ['what a variable behind a built-in holds', '{{date.x}}', 'mine'],
    ['what was inserted, not read again', '{{braces}}', '{{n}}'],
    ['dollars as they are', '{{money}}', '$& $1 $$'],
    ['several next to each other', '{{n}}{{n}}', '6565'],
    ['inside JSON', '{"a":{"q":{{n}}}}', '{"a":{"q":65}}'],
    ['behind one that never ends', '{{a} {{n}}', '{{a} 65'],
  ])('gives %s', (_what, text, filled) => {
    expect(interpolate(text, scopeOf())).toBe(filled)
  })

  test.each([
    '{{nowhere}}',
    '{{ nowhere }}',
    '{{nil}}',
    '{{o.nil}}',
    '{{o.nil.x}}',
    '{{o.gone}}',
    '{{n.x}}',
    '{{text[0]}}',
    '{{text.length}}',
    '{{list.0}}',
    '{{list.length}}',
    '{{list[3]}}',
    '{{list[-1]}}',
    '{{list["0"]}}',
    '{{list[n]}}',
    '{{list[99999999999999999999]}}',
    '{{[0]}}',
    '{{}}',
    '{{o..a}}',
    '{{n + 1}}',
    '{{n | json}}',
    '{{o[0]}}',
    '{{date.y}}',
    '{{__proto__}}',
    '{{constructor}}',
    '{{o.__proto__}}',
    '{{o.constructor}}',
    '{{o.toString}}',
    '{{o.a.hasOwnProperty}}',
    '{{list.constructor}}',
    '{n}',
    '{{n}',
    '{{a}b}}',
  ])('%s stays as written', (text) => {
    expect(interpolate(text, scopeOf())).toBe(text)
  })

  test('to a key named like a prototype member works if the key exists', () => {
    const scope = scopeOf({ o: JSON.parse('{"__proto__":{"x":1},"constructor":2}') })
    expect(interpolate('{{o.__proto__.x}} {{o.constructor}}', scope)).toBe('1 2')
  })
})

describe('a secret', () => {
  test.each([
    [`a $\{secret:k} b $\{env:k}`, 'a secret! b env!'],
    [`$\{ secret:k}`, `$\{ secret:k}`],
    [`$\{other:k}`, `$\{other:k}`],
    [`$\{secret:k`, `$\{secret:k`],
    [`$\{secret: k }`, 'secret!'],
  ])('%s', (text, filled) => {
    expect(interpolate(text, scopeOf())).toBe(filled)
  })

  test('that is not set is an error', () => {
    expect(() => interpolate(`$\{secret:none}`, scopeOf())).toThrow(
      new NodeError("The secret 'none' is not set"),
    )
  })

  test('is never read from an inserted value', () => {
    expect(interpolate('{{x}}', scopeOf({ x: `$\{secret:k}` }))).toBe(`$\{secret:k}`)
    expect(resolve('{{x}}', scopeOf({ x: [`$\{secret:k}`] }))).toEqual([`$\{secret:k}`])
  })
})

describe('resolve', () => {
  test.each<[unknown, unknown]>([
    ['{{list}}', VARIABLES.list],
    [' {{n}} ', 65],
    ['n={{n}}', 'n=65'],
    ['{{gone}}', '{{gone}}'],
    ['{{no}}', false],
    [
      { a: ['{{n}}', { b: '{{f}}' }], c: 5, d: null },
      { a: [65, { b: 812.5 }], c: 5, d: null },
    ],
  ])('%j', (value, resolved) => {
    expect(resolve(value, scopeOf())).toEqual(resolved)
  })

  test('keeps keys named like a prototype', () => {
    const value: unknown = JSON.parse('{"__proto__":{"admin":"{{n}}"}}')
    const resolved = resolve(value, scopeOf())
    expect(JSON.stringify(resolved)).toBe('{"__proto__":{"admin":65}}')
    expect(Object.getPrototypeOf(resolved)).toBe(Object.prototype)
  })
})

describe('a text that becomes too long', () => {
  /** A value of 80,000 characters that counts how often it is made a text. */
  function counted() {
    const made = { count: 0 }
    const value = {
      toJSON: () => {
        made.count += 1
        return 'x'.repeat(80_000)
      },
    }
    return {
      made,
      scope: scopeOf({ big: value, size: 'x'.repeat(80_000), list: Array(30_000).fill('abcd') }),
    }
  }
  const many = '{{big}}'.repeat(9_000)
  const tooLong = 'A value is longer than 1048576 characters'

  test('is refused, and each reference is made a text once', () => {
    const { made, scope } = counted()
    expect(() => interpolate(many, scope)).toThrow(tooLong)
    expect(made.count).toBe(1)
  })

  test.each<[string, unknown]>([
    ['texts', Array(9_000).fill('{{size}} ')],
    ['values', Array(9_000).fill('{{size}}')],
    ['lists', { a: Array(9_000).fill('{{list}}') }],
  ])('is refused when all its %s together are too long', (_what, value) => {
    const { scope } = counted()
    expect(() => resolve(value, scope)).toThrow(tooLong)
    expect(() => interpolateAll(value, scope)).toThrow(tooLong)
  })

  test('is refused when it has more than 10,000 references', () => {
    expect(interpolate('{{n}}'.repeat(10_000), scopeOf())).toBe('65'.repeat(10_000))
    expect(() => interpolate('{{n}}'.repeat(10_001), scopeOf())).toThrow(
      'A text has more than 10000 references',
    )
  })

  test('of one value of any length is that value', () => {
    const { scope } = counted()
    expect(resolve(' {{list}} ', scope)).toHaveLength(30_000)
    expect(interpolateAll({ a: ['{{n}}', 5] }, scopeOf())).toEqual({ a: ['65', 5] })
  })
})

test.each<[unknown, string[]]>([
  ['{{n}}', []],
  ['plain', []],
  [5, []],
  ['x{{gone}}{{n}}', ['x{{gone}}65']],
  ['{{nil}}', ['{{nil}}']],
  ['{{braces}}', ['{{n}}']],
  [
    [{ a: '{{gone}}' }, '{{n}}', ['{{gone2}}']],
    ['{{gone}}', '{{gone2}}'],
  ],
  ['{"a":{"b":1}}', []],
  ['{{a}b}}', ['{{a}b}}']],
])('of %j the unresolved texts are %j', (value, left) => {
  expect(unresolvedIn(value, scopeOf())).toEqual(left)
})

test.each<[string, (string | number)[] | undefined]>([
  ['a.b[0].c', ['a', 'b', 0, 'c']],
  ['a[0][1]', ['a', 0, 1]],
  ['', undefined],
  ['a.', undefined],
  ['a[', undefined],
  ['a[]', undefined],
  ['a[x]', undefined],
])('the path %j is %j', (path, segments) => {
  expect(segmentsOf(path)).toEqual(segments)
})

test.each<[string, string]>([
  ['openings', '{{'.repeat(100_000)],
  ['openings and an end', `${'{{'.repeat(100_000)}}`],
  ['openings of secrets', `$\{secret:`.repeat(50_000)],
  ['half references', '{{a}'.repeat(50_000)],
  ['references', '{{gone}}'.padEnd(20).repeat(10_000)],
  ['steps of a path', `{{${'o.'.repeat(100_000)}o}}`],
  ['indexes', `{{o${'[0]'.repeat(100_000)}}}`],
  ['spaces', `{{${' '.repeat(200_000)}}}`],
])('200,000 characters of %s are parsed quickly', (_what, text) => {
  expect(interpolate(text, scopeOf())).toBe(text)
  resolve(text, scopeOf())
  unresolvedIn(text, scopeOf())
})

test('a text without references stays the same, and any JSON reads back from its text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, text) => {
      const shown = interpolate('{{x}}', scopeOf({ x: value }))
      if (value === null) expect(shown).toBe('{{x}}')
      else expect(shown).toBe(interpolatedText(value))
      const plain = text.replaceAll('{{', '').replaceAll('$', '')
      if (!plain.includes('{{')) expect(interpolate(plain, scopeOf())).toBe(plain)
    }),
  )
})
