import { expect, it } from 'vitest'
import { BatchedRead } from '../../../../../src/core/brokers/kit/http/batched-read.js'

/** A read of two keys a call, whose turns come when the test says so. `none` has no row. */
function open() {
  const turns: { resolve: () => void; reject: (error: Error) => void }[] = []
  const calls: (readonly string[])[] = []
  const read = new BatchedRead<string>({
    size: 2,
    turn: () => new Promise((resolve, reject) => turns.push({ resolve, reject })),
    read: async (keys) => {
      calls.push(keys)
      return new Map(keys.filter((key) => key !== 'none').map((key) => [key, `row of ${key}`]))
    },
  })
  return { turns, calls, read }
}

it('keys that are asked for while a call waits go with it, each once', async () => {
  const { turns, calls, read } = open()
  const first = read.rows(['a', 'a'])
  const second = read.rows(['b', 'a'])
  turns[0]?.resolve()
  expect([...(await first)]).toEqual([['a', 'row of a']])
  expect([...(await second).keys()]).toEqual(['b', 'a'])
  expect(calls).toEqual([['a', 'b']])
})

it('a full call is followed by another one, and a key without a row is left out', async () => {
  const { turns, calls, read } = open()
  const rows = read.rows(['a', 'b', 'none'])
  for (const turn of turns) turn.resolve()
  expect([...(await rows).keys()]).toEqual(['a', 'b'])
  expect(calls).toEqual([['a', 'b'], ['none']])
})

it('a call that gets no turn fails those who asked, and nobody after them', async () => {
  const { turns, read } = open()
  const first = read.rows(['a'])
  turns[0]?.reject(new Error('too many'))
  await expect(first).rejects.toThrow('too many')
  const second = read.rows(['a'])
  turns[1]?.resolve()
  expect((await second).size).toBe(1)
})

it('without keys nothing is asked for', async () => {
  const { turns, read } = open()
  expect((await read.rows([])).size).toBe(0)
  expect(turns).toEqual([])
})
