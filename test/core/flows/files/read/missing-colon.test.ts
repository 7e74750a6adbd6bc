import { describe, expect, it } from 'vitest'
import { findingText } from '../../../../../src/core/documents/index.js'
import { lint } from '../../../../../src/core/flows/files/check/lint.js'
import { readWorkflow } from '../../../../../src/core/flows/files/read/read.js'
import { EXAMPLES, textOf } from '../../../../flows/examples.js'

function findings(text: string): string[] {
  const read = readWorkflow(text, 'f')
  return (read.ok ? lint(read.value) : read.findings).map(findingText)
}

describe('one missing colon', () => {
  it.each(EXAMPLES)('is one error in its line, wherever it is in %s', (id) => {
    const lines = textOf(`${id}.yaml`).split('\n')
    const colons = lines.flatMap((line, index) => {
      const at = /^\s*[a-z]/.test(line) ? line.search(/:(\s|$)/) : -1
      return at < 0 ? [] : [{ index, at }]
    })
    expect(colons.length).toBeGreaterThan(10)
    for (const { index, at } of colons) {
      const broken = lines.map((line, here) =>
        here === index ? line.slice(0, at) + line.slice(at + 1) : line,
      )
      const found = findings(broken.join('\n'))
      expect(found.map((text) => text.split(':')[1])).toEqual([String(index + 1)])
      expect(found[0]).toContain(' error[')
    }
  })

  it.each([
    ['name: n\nnodes:\n  go\n    type: start\n', 'f:3:3: error[syntax]: A colon is missing after this key.'],
    [
      'name: n\nnodes:\n  note: {type: log}\n  go:\n    type: start\n    next note\n',
      'f:6:5: error[syntax]: A colon is missing after this key.',
    ],
    [
      'name: n\nnodes:\n  go: {type: start, next: rsi}\n  rsi:\n    type: indicator\n    with {symbol: SBIN}\n',
      'f:6:5: error[syntax]: A colon is missing after "with".',
    ],
    ['name n\nnodes: {}\n', 'f:1:1: error[syntax]: A colon is missing after this key.'],
  ])('%j', (text, expected) => {
    expect(findings(text)).toEqual([expected])
  })

  it('a text may go on in the next line with any word', () => {
    const text = 'name: n\ndescription: buys\n  next week\nnodes:\n  go: {type: start}\n'
    expect(findings(text)).toEqual([])
  })
})
