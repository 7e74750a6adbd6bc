import { describe, expect, test } from 'vitest'
import { ServiceError } from '../../../../src/core/errors/index.js'
import { parseUniqueJson } from '../../../../src/daemon/http/body/unique-json.js'

/** Returns the fields named in the refusal of a text. */
function repeatedIn(text: string): readonly string[] {
  try {
    expect(parseUniqueJson(text)).toEqual(JSON.parse(text))
    return []
  } catch (error) {
    if (error instanceof ServiceError) return Object.keys(error.errors ?? {})
    throw error
  }
}

describe('JSON in which a member is given twice', () => {
  test.each([
    ['{"quantity":1,"quantity":100}', 'quantity'],
    ['{"quantity":1,"price":2,"quantity":1}', 'quantity'],
    ['{ "quantity" : 1 ,\n\t"quantity"\r\n:100}', 'quantity'],
    ['{"quantity":1,"quan\\u0074ity":100}', 'quantity'],
    ['{"orders":[{"symbol":"A"},{"symbol":"B","symbol":"C"}]}', 'orders.1.symbol'],
    ['{"orders":[[],[{"a":{"b":1,"b":2}}]]}', 'orders.1.0.a.b'],
    ['{"a":{"x":1},"b":[],"a":{"x":2}}', 'a'],
    ['{"a":"\\\\","a":"\\""}', 'a'],
    ['{"":1,"":2}', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"note":"12:30:00","a":1,"a":2}', 'a'],
    ['[{"a":1},{"a":1,"a":2}]', '1.a'],
  ])('%s is refused by the path of the member', (text, path) => {
    expect(repeatedIn(text)).toEqual([path])
  })

  test.each([
    '{}',
    '[]',
    '5',
    '"a:a"',
    '{"a":1,"A":2}',
    '{"orders":[{"symbol":"A"},{"symbol":"A"}],"symbol":"A"}',
    '{"a":"{\\"a\\":1,\\"a\\":2}","b":"a:a:a"}',
    '{"time":"09:15:00","until":"15:30:00"}',
    '{"a":{"a":{"a":[]}},"b":{"a":{"a":1}}}',
    '{"__proto__":{"a":1},"constructor":2}',
  ])('%s is read', (text) => {
    expect(repeatedIn(text)).toEqual([])
  })

  test('is refused with a sentence that names the member', () => {
    expect(() => parseUniqueJson('{"quantity":1,"quantity":2}')).toThrow(
      'quantity: The field is given more than once.',
    )
  })

  test('of the greatest size and depth is checked quickly', () => {
    const wide = `{${Array.from({ length: 4_000 }, (_, at) => `"member${at}":"a:b"`).join()},"member7":1}`
    expect(repeatedIn(wide)).toEqual(['member7'])
    const deep = `${'{"a":'.repeat(99)}{"a":":"}${'}'.repeat(99)}`
    expect(repeatedIn(deep)).toEqual([])
  })
})
