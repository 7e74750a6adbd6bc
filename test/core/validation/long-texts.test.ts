import { expect, test } from 'vitest'
import type { z } from 'zod'
import { enclosedIn } from '../../../src/core/flows/language/enclosed.js'
import { isCommonWord } from '../../../src/core/identity/common-words.js'
import { termsOf } from '../../../src/core/instruments/search/query.js'
import { clientAddress } from '../../../src/core/security/address.js'
import { fields } from '../../../src/core/validation/index.js'

/** As long as the largest body. A rule whose time grows with the square of the length takes many minutes for it. */
const LONG = 1_000_000

const refusal = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message

test.each<[string, () => unknown, unknown]>([
  ['a number', () => refusal(fields.number(), `${'1'.repeat(LONG)}x`), 'Not a valid number.'],
  ['a fraction', () => refusal(fields.number(), `1.${'1'.repeat(LONG)}x`), 'Not a valid number.'],
  ['an exponent', () => refusal(fields.number(), `1e${'1'.repeat(LONG)}`), 'Number too large.'],
  ['an address', () => clientAddress(`${':'.repeat(LONG)}x`), undefined],
  ['a password', () => isCommonWord(`a${'1'.repeat(LONG)}a`), false],
  ['a strike', () => termsOf(`0.${'0'.repeat(LONG)}1`)[0]?.strike, undefined],
  ['references that do not end', () => [...enclosedIn('{{'.repeat(LONG), '{{', '}}')], []],
  ['references that end once', () => [...enclosedIn(`${'{{'.repeat(LONG)}}`, '{{', '}}')], []],
])('%s of a million characters is read once', (_, read, answer) => {
  expect(read()).toEqual(answer)
})

test.each([
  ['buy {{a.b}} and {{ c }}', '{{', '}}', ['{{a.b}}', '{{ c }}']],
  ['{{a}b}} {{c{d}}', '{{', '}}', ['{{c{d}}']],
  ['{{{a}}', '{{', '}}', ['{{{a}}']],
  [`\${env:A} \${\${B}`, '${', '}', [`\${env:A}`, `\${\${B}`]],
] as const)('%s holds what the next closing ends', (text, opening, closing, tokens) => {
  const found = [...enclosedIn(text, opening, closing)]
  expect(found.map(({ token }) => token)).toEqual(tokens)
  const [open, close] = opening === '{{' ? ['\\{\\{', '\\}\\}'] : ['\\$\\{', '\\}']
  expect(found.map(({ inner }) => inner)).toEqual(
    [...text.matchAll(new RegExp(`${open}([^}]*)${close}`, 'g'))].map(([, inner]) => inner),
  )
})
