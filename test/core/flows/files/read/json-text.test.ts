import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeText } from '../../../../../src/core/documents/index.js'
import { lint } from '../../../../../src/core/flows/files/check/lint.js'
import { contentHash, diff } from '../../../../../src/core/flows/files/diff/diff.js'
import { readWorkflow, type WorkflowFile } from '../../../../../src/core/flows/files/read/read.js'
import { writeReadable } from '../../../../../src/core/flows/files/write.js'
import { isObject } from '../../../../../src/core/validation/index.js'

function read(text: string): WorkflowFile {
  const result = readWorkflow(text, 'flow.yaml')
  if (!result.ok) throw new Error(JSON.stringify(result.findings))
  return result.value
}

/** Returns a workflow with these settings of an indicator, as a file writes them. */
function withParams(params: string): WorkflowFile {
  return read(`name: n
nodes:
  go: {type: start, next: rsi}
  rsi:
    type: indicator
    with: {symbol: SBIN, exchange: NSE, indicatorName: rsi, params: ${params}, outputVariable: rsi}
`)
}

const paramsOf = ({ graph }: WorkflowFile): unknown => graph.nodes[1]?.data.params

describe('params of an indicator', () => {
  it('are a mapping in a file and the same JSON text in the graph', () => {
    const flow = withParams('{period: 9, source: "{{x}}"}')
    expect(paramsOf(flow)).toBe('{"period": 9, "source": "{{x}}"}')
    expect(lint(withParams('{period: 9}'))).toEqual([])
  })

  it.each([
    ['the spelling of the public system', '{"period": 9}'],
    ['another spelling', '{ "period":9 }'],
  ])('text in %s is written as a mapping, which is no change', (_what, text) => {
    const flow = withParams(`'${text}'`)
    expect(paramsOf(flow)).toBe(text)
    const written = writeReadable(flow)
    expect(written).toContain('params:\n        period: 9\n')
    const again = read(written)
    expect(diff(flow, again)).toEqual([])
    expect(contentHash(again)).toBe(contentHash(flow))
  })

  it.each([
    '{"period": {{n}}}',
    '{"period": 9',
    '[9]',
    '{"seed": 12345678901234567890}',
    '{"__proto__": 1}',
    '{{p}}',
  ])('text that no mapping can hold stays text: %s', (text) => {
    const flow = withParams(`'${text}'`)
    const again = read(writeReadable(flow))
    expect(paramsOf(again)).toBe(text)
  })

  it('a list is refused, as before', () => {
    expect(lint(withParams('[9]')).map(({ code }) => code)).toContain('invalid_params')
  })

  it('a change of one setting is shown as such', () => {
    const [before, after] = [withParams('{period: 9, source: c}'), withParams('{period: 14, source: c}')]
    expect(diff(before, after).map(changeText)).toEqual(['~ nodes.rsi.with.params.period: 9 -> 14'])
    expect(contentHash(before)).not.toBe(contentHash(after))
  })

  it('a wrong reference in them is found where it is', () => {
    const [finding] = lint(withParams('{period: "{{x}}"}'))
    expect(finding).toMatchObject({ code: 'unresolved_variable', line: 6, column: 78 })
  })
})

it('any mapping survives the graph', () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4, noUnicodeString: false }), {
    noNullPrototype: true,
  })
  fc.assert(
    fc.property(json, (params) => {
      fc.pre(!/__proto__|\d{16}|e[+-]/.test(JSON.stringify(params)))
      const text = withParams(JSON.stringify(params))
      const inGraph = paramsOf(text)
      if (typeof inGraph !== 'string') throw new Error('it is no text')
      const value: unknown = JSON.parse(inGraph)
      expect(isObject(value) && value).toEqual(JSON.parse(JSON.stringify(params)))
      expect(paramsOf(read(writeReadable(text)))).toBe(inGraph)
    }),
  )
})
