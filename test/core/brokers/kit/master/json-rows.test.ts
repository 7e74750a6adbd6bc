import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rowsOfJsonFile } from '../../../../../src/core/brokers/kit/master/json-rows.js'
import { rounds } from '../../../../support/chance/chance.js'

const bytesOf = (text: string) => new TextEncoder().encode(text)

async function rowsOf(bytes: Uint8Array): Promise<unknown[]> {
  const rows: unknown[] = []
  for await (const part of rowsOfJsonFile('GET /master', bytes)) rows.push(...part)
  return rows
}

describe('the rows of a JSON file', () => {
  it('are those of its list, whatever they contain', async () => {
    const rows = fc.array(fc.jsonValue(), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(rows, fc.boolean(), async (list, isSpaced) => {
        const text = JSON.stringify(list, undefined, isSpaced ? 2 : 0)
        expect(await rowsOf(bytesOf(text))).toEqual(JSON.parse(text))
        expect(await rowsOf(gzipSync(text))).toEqual(JSON.parse(text))
      }),
      { numRuns: rounds(100) },
    )
  })

  it('come part by part, also where a part ends within a row, a text or a character', async () => {
    const list = Array.from({ length: 5000 }, (_, id) => ({ id, name: `₹ "${id}" \\ [{`, list: [{}] }))
    const parts: unknown[][] = []
    for await (const part of rowsOfJsonFile('GET /master', gzipSync(JSON.stringify(list)))) parts.push(part)
    expect(parts.flat()).toEqual(list)
    expect(parts.length).toBeGreaterThan(3)
  })

  it('let others go on between two parts', async () => {
    const list = Array.from({ length: 5000 }, (_, id) => ({
      id,
      name: 'a name of some length to fill a part',
    }))
    for (const bytes of [bytesOf(JSON.stringify(list)), gzipSync(JSON.stringify(list))]) {
      let turns = 0
      const counting = setInterval(() => (turns += 1), 0)
      await rowsOf(bytes)
      clearInterval(counting)
      expect(turns).toBeGreaterThan(1)
    }
  })

  it.each([
    ['an empty file', ''],
    ['a page', '<html>503</html>'],
    ['an object', '{"status":"error"}'],
    ['an object with a list', '{"data":[{"a":1}]}'],
    ['a list that is cut off within a row', '[{"a":1},{"a'],
    ['a list that is cut off between rows', '[{"a":1},'],
    ['a list that goes on after its end', '[{"a":1}] [2]'],
    ['a row that is no JSON', '[{"a":1},{a:1}]'],
    ['a closing bracket too many', '[1]]'],
  ])('are refused in %s', async (_name, text) => {
    const expected = expect.objectContaining({ kind: 'protocol', sent: 'yes' })
    await expect(rowsOf(bytesOf(text))).rejects.toEqual(expected)
    await expect(rowsOf(gzipSync(text))).rejects.toEqual(expected)
  })

  it('are refused if the packed file is cut off', async () => {
    const packed = gzipSync(JSON.stringify(Array.from({ length: 1000 }, (_, id) => ({ id }))))
    await expect(rowsOf(packed.subarray(0, packed.length / 2))).rejects.toThrow('cannot be unpacked')
  })
})
