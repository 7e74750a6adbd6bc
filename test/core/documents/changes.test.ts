import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson, changesWithin, changeText } from '../../../src/core/documents/index.js'

const LEGS = [
  { option_type: 'CE', lots: 1, sl_pts: 25 },
  { option_type: 'PE', lots: 1, sl_pts: 25 },
]
const WING = { option_type: 'CE', lots: 2, sl_pts: 5 }
const [CALL, PUT] = LEGS

test.each<[string, unknown, unknown, string[]]>([
  ['a field of one leg', LEGS, [CALL, { ...PUT, sl_pts: 30 }], ['~ legs[1].sl_pts: 25 -> 30']],
  ['a leg at the end', LEGS, [...LEGS, WING], [`+ legs[2]: ${JSON.stringify(WING)}`]],
  ['a leg at the front', LEGS, [WING, ...LEGS], [`+ legs[0]: ${JSON.stringify(WING)}`]],
  ['a leg that is gone', LEGS, [PUT], [`- legs[0]: ${JSON.stringify(CALL)}`]],
  [
    'legs that changed places',
    LEGS,
    [PUT, CALL],
    ['~ legs[0].option_type: "CE" -> "PE"', '~ legs[1].option_type: "PE" -> "CE"'],
  ],
  ['the first leg', [], [CALL], [`~ legs: [] -> [${JSON.stringify(CALL)}]`]],
  ['a list of days', [0, 1], [0], ['~ legs: [0,1] -> [0]']],
])('%s is one change of what changed', (_, before, after, texts) => {
  expect(changesWithin('legs', before, after).map(changeText)).toEqual(texts)
})

test('there is a change exactly where two documents differ', () => {
  const item = fc.oneof(fc.constant({}), fc.record({ a: fc.nat(2), b: fc.nat(1) }))
  const document = fc.record({ items: fc.oneof(fc.array(item, { maxLength: 4 }), fc.nat(1)) })
  fc.assert(
    fc.property(document, document, (before, after) => {
      const differs = canonicalJson(before) !== canonicalJson(after)
      expect(changesWithin('', before, after).length > 0).toBe(differs)
    }),
  )
})
