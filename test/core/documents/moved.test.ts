import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byFileKey, located, type MovedFile, movedFaults } from '../../../src/core/documents/index.js'
import { rounds } from '../../support/chance/chance.js'

const file = (key: string, ...moved: string[]): MovedFile => ({ key, moved, file: `flows/${key}.yaml` })
const texts = (...files: MovedFile[]) =>
  movedFaults(files).map(({ file: { key }, index, message }) => [key, index, message])

test.each([
  ['its own id', [file('a', 'a')], ['a', 0, '"a" is the id that the file has now']],
  ['the id of another file', [file('a', 'b'), file('b')], ['a', 0, '"b" is still the id of flows/b.yaml']],
  ['an id that is named twice', [file('a', 'x', 'x')], ['a', 1, '"x" is named twice']],
  [
    'an id that another file claims',
    [file('a', 'x'), file('b', 'y', 'x')],
    ['b', 1, '"x" is also an earlier id of flows/a.yaml'],
  ],
])('%s is no earlier id', (_, files, fault) => {
  expect(texts(...files)).toEqual([fault])
})

test('files that change places are refused, both of them', () => {
  expect(texts(file('a', 'b'), file('b', 'a'))).toHaveLength(2)
  expect(texts(file('a', 'b'), file('b', 'c'), file('c', 'a'))).toHaveLength(3)
})

test('a file may have had several ids', () => {
  expect(texts(file('a', 'x', 'y'), file('b', 'z'))).toEqual([])
})

const stored = (...keys: string[]) =>
  byFileKey(
    keys.map((key) => ({ fileKey: key.startsWith('hand-') ? null : key, key })),
    ({ key }) => key,
  )

test('what is stored under an earlier id is found, also what was made by hand', () => {
  const found = located(
    [file('a', 'x', 'y'), file('b', 'hand-3'), file('c'), file('d', 'e')],
    stored('y', 'hand-3', 'c'),
  )
  expect([...found]).toMatchObject([
    ['a', { before: { key: 'y' }, movedFrom: 'y' }],
    ['b', { before: { key: 'hand-3' }, movedFrom: 'hand-3' }],
    ['c', { before: { key: 'c' }, movedFrom: null }],
    ['d', { before: undefined, movedFrom: null }],
  ])
})

test('a file with several of its ids there is refused, and names them', () => {
  const both = () => located([file('a', 'x'), file('b', 'y', 'z')], stored('a', 'x', 'y', 'z'))
  expect(both).toThrow(
    expect.objectContaining({
      code: 'conflict',
      message: expect.stringContaining('a: a and x, b: y and z'),
    }),
  )
})

test('an earlier id that is gone changes nothing', () => {
  const once = [...located([file('a', 'x')], stored('a'))]
  expect(once).toEqual([...located([file('a')], stored('a'))])
})

test('whatever the ids are, nothing stored is lost or given to two files', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
  const files = fc.uniqueArray(fc.record({ key, moved: fc.array(key, { maxLength: 3 }) }), {
    selector: ({ key: id }) => id,
  })
  fc.assert(
    fc.property(files, fc.uniqueArray(key), (wanted, keys) => {
      if (movedFaults(wanted).length > 0) return
      const there = stored(...keys)
      const known = new Set(keys)
      const isUnclear = wanted.some(
        ({ key: id, moved }) => [id, ...moved].filter((one) => known.has(one)).length > 1,
      )
      if (isUnclear) {
        expect(() => located(wanted, there)).toThrow(expect.objectContaining({ code: 'conflict' }))
        return
      }
      const found = [...located(wanted, there)]
      const kept = found.flatMap(([, { before }]) => (before ? [before.key] : []))
      expect(new Set(kept).size).toBe(kept.length)
      // What no file has is left, under its own id; no file that is created has the id of something that is there.
      const left = keys.filter((one) => !kept.includes(one))
      const ids = [...left, ...found.map(([id]) => id)]
      expect(new Set(ids).size).toBe(ids.length)
      expect([...kept, ...left].sort()).toEqual([...keys].sort())
    }),
    { numRuns: rounds(500) },
  )
})
