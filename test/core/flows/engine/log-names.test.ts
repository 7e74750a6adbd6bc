import { expect, it } from 'vitest'
import { decodeLog, encodeLog } from '../../../../src/core/flows/engine/run-log.js'
import { broken, graphOf, note, run, unknown } from '../graphs.js'

it('each line of a log names its node and its label, and survives storage', async () => {
  const graph = graphOf(
    {
      say: ['log', { message: 'hi', label: 'Greeting' }],
      sum: broken,
      low: unknown,
      gate: ['andGate', { label: ' ' }],
      end: note('end'),
    },
    't -> say',
    'say -> sum',
    't -> low',
    'low -> gate',
    'gate yes> end',
  )
  const { logs } = await run(graph)
  expect(logs.map(({ node, label, message }) => [node, label, message])).toEqual([
    [undefined, undefined, 'Starting workflow: Test flow'],
    ['t', undefined, 'Workflow started'],
    ['say', 'Greeting', '[LOG] hi'],
    ['sum', undefined, expect.stringContaining('Evaluating')],
    ['sum', undefined, expect.stringContaining('Interpolated')],
    ['sum', undefined, expect.stringContaining('Stopping this branch: mathExpression node failed')],
    ['low', undefined, expect.stringContaining('varCondition could not be evaluated')],
    ['gate', undefined, expect.stringContaining("andGate 'gate' has no result")],
  ])
  expect(decodeLog(encodeLog(logs))).toEqual(logs)
})
