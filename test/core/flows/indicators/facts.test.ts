import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { lint, readWorkflow } from '../../../../src/core/flows/files/index.js'
import { indicatorFacts } from '../../../../src/core/flows/indicators/facts.js'
import { computeIndicator, indicatorNamed } from '../../../../src/core/flows/indicators/index.js'

const PAGE = readFileSync(new URL('../../../../docs/indicators.md', import.meta.url), 'utf8')
const FACTS = indicatorFacts()

/** A price that rises and falls. */
const CLOSE = Array.from({ length: 200 }, (_, at) => 100 + 10 * Math.sin(at / 7) + (at % 5))
const BARS = {
  open: CLOSE.map((price) => price - 0.5),
  high: CLOSE.map((price) => price + 1),
  low: CLOSE.map((price) => price - 1),
  close: CLOSE,
  volume: CLOSE.map((_, at) => 1000 + (at % 11)),
}

it('the workflow of docs/indicators.md has no mistake', () => {
  const [, text = ''] = /```yaml\n(.*?)```/s.exec(PAGE) ?? []
  const read = readWorkflow(`name: n\n${text}`, 'f.yaml')
  expect(read.ok ? lint(read.value) : read.findings).toEqual([])
})

describe.each(FACTS)('$name', ({ name, example, outputs, params }) => {
  it('is on the page, with an example that is valid and computes each result', () => {
    expect(PAGE).toContain(`| \`${name}\`: `)
    expect(PAGE).toContain(example)
    const text = `name: n
nodes:
  go: {type: start, next: it}
  it: {type: indicator, with: ${example.replace('{', '{symbol: SBIN, exchange: NSE, ')}, next: out}
  out: {type: log, with: {message: "${outputs.map(({ path }) => `{{${name}.${path}}}`).join(' ')}"}}
`
    const read = readWorkflow(text, 'f.yaml')
    if (!read.ok) throw new Error(JSON.stringify(read.findings))
    expect(lint(read.value)).toEqual([])
    const given: unknown = JSON.parse(String(read.value.graph.nodes[1]?.data.params ?? '{}'))
    const defaults = Object.fromEntries(params.map((one) => [one.name, one.default]))
    expect(given).toEqual(defaults)
    expect(computeIndicator(indicatorNamed(name), BARS, defaults).lines).toHaveLength(outputs.length)
  })
})
