import { describe, expect, it } from 'vitest'
import { BATCH_SIZE, batchPerTurn } from '../../../../src/daemon/http/orders/batch-per-turn.js'

const endOfTurn = () => new Promise((resolve) => setImmediate(resolve))

describe('requests that arrive together', () => {
  it('start at the end of the turn and proceed step by step', async () => {
    const steps: string[] = []
    const handle = batchPerTurn(async (name: string) => {
      steps.push(`${name} 1`)
      await undefined
      steps.push(`${name} 2`)
      return name
    })
    const answers = Promise.all(['a', 'b', 'c'].map((name) => handle(name)))
    await undefined
    expect(steps).toEqual([])
    expect(await answers).toEqual(['a', 'b', 'c'])
    expect(steps).toEqual(['a 1', 'b 1', 'c 1', 'a 2', 'b 2', 'c 2'])
  })

  it('fail alone, thrown or rejected', async () => {
    const handle = batchPerTurn((name: string) => {
      if (name === 'thrown') throw new Error(name)
      return name === 'rejected' ? Promise.reject(new Error(name)) : name
    })
    const outcomes = await Promise.allSettled(['thrown', 'fine', 'rejected'].map((name) => handle(name)))
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
  })

  it('proceed in groups, each once, in order of arrival', async () => {
    const handled: number[] = []
    const handle = batchPerTurn((request: number) => handled.push(request))
    const requests = Array.from({ length: 2 * BATCH_SIZE + 1 }, (_, request) => request)
    const answers = Promise.all(requests.map((request) => handle(request)))
    await endOfTurn()
    expect(handled).toHaveLength(BATCH_SIZE)
    await answers
    expect(handled).toEqual(requests)
    await handle(-1)
    expect(handled.at(-1)).toBe(-1)
  })

  it('wait for one turn only: the next ones have a turn of their own', async () => {
    const handled: string[] = []
    const handle = batchPerTurn((name: string) => handled.push(name))
    void handle('first')
    await endOfTurn()
    expect(handled).toEqual(['first'])
    void handle('second')
    expect(handled).toEqual(['first'])
    await endOfTurn()
    expect(handled).toEqual(['first', 'second'])
  })
})
