import { describe, expect, it } from 'vitest'
import { compare, readScenarios } from '../../src/core/flows/files/index.js'
import { rehearse } from '../../src/daemon/flows/rehearsal/index.js'
import { EXAMPLES, exampleOf, textOf } from './examples.js'

describe.each(EXAMPLES)('%s', (id) => {
  const read = readScenarios(textOf(`${id}.test.yaml`), `${id}.test.yaml`)
  const cases = read.ok ? read.value.cases : []

  it.each(cases)('$name', async (scenario) => {
    const outcome = await rehearse(exampleOf(id), scenario)
    expect(compare(scenario.expect, outcome)).toEqual([])
  })
})
