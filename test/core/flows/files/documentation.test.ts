import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { lint, readScenarios, readWorkflow, workflowSchema } from '../../../../src/core/flows/files/index.js'
import { mistakes } from './json-schema.js'

const PAGE = readFileSync(new URL('../../../../docs/flow-files.md', import.meta.url), 'utf8')
const EXAMPLES = [...PAGE.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text)

describe('the examples of docs/flow-files.md', () => {
  it('the workflow is valid and matches the schema', () => {
    const [text = ''] = EXAMPLES
    const flow = readWorkflow(text, 'opening-range-breakout.yaml')
    expect(flow.ok ? lint(flow.value) : flow.findings).toEqual([])
    expect(mistakes(parse(text), workflowSchema())).toEqual([])
  })

  it('the scenario can be read, and names nodes of the workflow', () => {
    const [workflow = ''] = EXAMPLES
    const scenarios = readScenarios(EXAMPLES.at(-1) ?? '', 'opening-range-breakout.test.yaml')
    if (!scenarios.ok) throw new Error(JSON.stringify(scenarios.findings))
    const [first] = scenarios.value.cases
    const named = [...(first?.expect.visited ?? []), ...(first?.expect.not_visited ?? [])]
    expect(Object.keys(parse(workflow).nodes)).toEqual(expect.arrayContaining(named))
  })
})
