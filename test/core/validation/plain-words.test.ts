import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { inPlainWords } from '../../../src/core/validation/index.js'

const file = z.strictObject({
  name: z.string().min(3).max(5),
  nodes: z.array(z.object({ type: z.enum(['start', 'delay']) })).min(1),
  options: z.record(z.string(), z.number()),
  count: z.int().max(9),
  at: z.union([z.number(), z.boolean()]),
})
const GOOD = { name: 'good', nodes: [{ type: 'start' }], options: {}, count: 1, at: 5 }

describe('what is wrong with a value of a file, in plain words', () => {
  it.each<[change: object, path: string, message: string]>([
    [{ name: undefined }, 'name', 'is missing'],
    [{ name: 5 }, 'name', 'must be a text'],
    [{ name: 'no' }, 'name', 'must have at least 3 characters'],
    [{ name: 'toolong' }, 'name', 'must have at most 5 characters'],
    [{ nodes: {} }, 'nodes', 'must be a list'],
    [{ nodes: [] }, 'nodes', 'must have at least 1 entry'],
    [{ nodes: [5] }, 'nodes.0', 'must be a group of fields'],
    [{ nodes: [{ type: 'stop' }] }, 'nodes.0.type', 'must be one of: start, delay'],
    [{ options: 5 }, 'options', 'must be a group of fields'],
    [{ options: { a: 'x' } }, 'options.a', 'must be a number'],
    [{ count: 1.5 }, 'count', 'must be a whole number'],
    [{ count: 10 }, 'count', 'must be at most 9'],
    [{ at: 'noon' }, 'at', 'has none of the forms that it may have'],
  ])('%j: %s %s', (change, path, message) => {
    const { error } = file.safeParse({ ...GOOD, ...change }, { error: inPlainWords })
    expect(error?.issues.map((issue) => [issue.path.join('.'), issue.message])).toEqual([[path, message]])
  })

  it('a message of the schema itself stays', () => {
    const { error } = z.string('must be your name').safeParse(5, { error: inPlainWords })
    expect(error?.issues[0]?.message).toBe('must be your name')
  })
})
