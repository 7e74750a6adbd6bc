import { describe, expect, it } from 'vitest'
import { findingText } from '../../../../../src/core/documents/index.js'
import { type LintOptions, lint } from '../../../../../src/core/flows/files/check/lint.js'
import { readWorkflow } from '../../../../../src/core/flows/files/read/read.js'

const HEAD = 'name: n\nnodes:\n  go: {type: start, next: a}\n'

/** Returns the findings of a workflow with a trigger and node `a` after it, without the file name. */
function found(nodes: string, options?: LintOptions, head = HEAD): string[] {
  const result = readWorkflow(`${head}${nodes}`, 'f')
  if (!result.ok) throw new Error(result.findings.map(findingText).join('\n'))
  return lint(result.value, options).map((finding) => findingText(finding).slice('f:'.length))
}

const ORDER = 'type: placeOrder, with: {symbol: SBIN, exchange: NSE, action: BUY, quantity: 1'
const WEBHOOK = HEAD.replace('start', 'webhookTrigger')

describe('a valid workflow', () => {
  it.each([
    ['an order', `  a: {${ORDER}}}\n`],
    ['built-in variables', '  a: {type: log, with: {message: "{{date}} {{ time }} {{week_of_year}}"}}\n'],
    [
      'an order whose price is the result of an earlier node',
      `  a: {type: variable, with: {variableName: p, value: 1}, next: b}\n  b: {${ORDER}, priceType: LIMIT, price: "{{p}}"}}\n`,
    ],
    [
      'an order that always follows a condition',
      `  a: {type: timeWindow, yes: b, always: c}\n  b: {type: log}\n  c: {${ORDER}}}\n`,
    ],
    ['a fraction of a coin', `  a: {${ORDER.replace('NSE', 'CRYPTO')}.5}}\n`],
    [
      'what an earlier node keeps',
      '  a: {type: getQuote, with: {symbol: SBIN, exchange: NSE, outputVariable: q}, next: b}\n  b: {type: log, with: {message: "{{q.ltp}} {{q.data.ltp}}"}}\n',
    ],
    [
      'what an earlier branch keeps',
      '  a: {type: log, next: [b, c]}\n  b: {type: variable, with: {variableName: x, value: 1}}\n  c: {type: log, with: {message: "{{x}}"}}\n',
    ],
    [
      'the result of arithmetic, under its own name',
      '  a: {type: mathExpression, with: {expression: 1 + 1}, next: b}\n  b: {type: log, with: {message: "{{result}}"}}\n',
    ],
    [
      'secrets',
      `  a: {type: httpRequest, with: {url: "https://x.example/\${secret:hook}", headers: {Authorization: "Bearer \${env:FLOW_TOKEN}"}}}\n`,
    ],
  ])('%s', (_what, nodes) => {
    expect(found(nodes)).toEqual([])
  })

  it('the payload of a webhook', () => {
    expect(found('  a: {type: log, with: {message: "{{webhook.a.b[0]}}"}}\n', {}, WEBHOOK)).toEqual([])
  })
})

describe('findings and their positions', () => {
  const table: [string, string, string[]][] = [
    [
      'an unknown type',
      '  a: {type: placeorder}\n',
      [
        "4:13: error[unknown_node_type]: Node 'a' has an unknown type 'placeorder'. Did you mean \"placeOrder\"?",
      ],
    ],
    [
      'a missing field',
      '  a: {type: placeOrder, with: {symbol: SBIN, exchange: NSE, action: BUY}}\n',
      ["4:25: error[missing_required_field]: Node 'a' (placeOrder) needs quantity."],
    ],
    [
      'a link to nowhere',
      '  a: {type: log, next: [settle]}\n  settl: {type: log}\n',
      [
        "4:25: error[dangling_edge]: Edge 'a-next-settle' names 'settle' as its target, which is not a node. Did you mean \"settl\"?",
      ],
    ],
    [
      'a circle',
      '  a: {type: log, next: b}\n  b: {type: log, next: a}\n',
      ['4:24: error[cycle]: The workflow has a cycle: a -> b -> a.'],
    ],
    [
      'what cannot be reached',
      '  a: {type: log}\n  b: {type: log}\n',
      ['5:3: error[unreachable]: Not reachable from the trigger: b.'],
    ],
    [
      'a second trigger',
      '  a: {type: log}\n  b: {type: start}\n',
      ['5:3: error[multiple_triggers]: A workflow must have one trigger, this has 2: go, b.'],
    ],
    [
      'a branch of what does not branch',
      '  a: {type: log, yes: b}\n  b: {type: log}\n',
      [
        "4:23: error[invalid_source_handle]: Edge 'a-yes-b' has the source handle 'yes': log has no branches.",
      ],
    ],
    [
      'an order that follows a gate or a condition in any case',
      `  a: {type: timeWindow, yes: b, next: c}\n  b: {type: log}\n  c: {${ORDER}}}\n`,
      [
        "4:39: error[unclear_order]: Node 'a': an edge without a branch leads to the order 'c'. A run follows it also on no. Use yes or no, or always if this is meant.",
      ],
    ],
    [
      'always after a node without branches',
      '  a: {type: log, always: b}\n  b: {type: log}\n',
      ["4:26: error[invalid_source_handle]: Node 'a': log has no branches. Use next instead of always."],
    ],
    [
      'an order with a reference to nothing',
      `  a: {${ORDER}, price: "{{limt}}"}, next: b}\n  b: {type: variable, with: {variableName: limit, value: 1}}\n`,
      [
        '4:94: error[unresolved_variable]: Node \'a\': {{limt}} in price: no node stores "limt". Did you mean "limit"?',
      ],
    ],
    [
      'a condition with a typo',
      '  a: {type: openPosition, with: {symbol: SBIN, exchange: NSE, outputVariable: position}, next: b}\n  b:\n    if: "{{postion.quantity}} > 0"\n    yes: c\n  c: {type: log}\n',
      [
        '6:10: error[unresolved_variable]: Node \'b\': {{postion.quantity}} in leftValue: no node stores "postion". Did you mean "position"?',
      ],
    ],
    [
      'an expression with a typo',
      '  a: {type: variable, with: {variableName: limit, value: 1}, next: b}\n  b: {type: mathExpression, with: {expression: "{{limt}} * 2"}}\n',
      [
        '5:48: error[unresolved_variable]: Node \'b\': {{limt}} in expression: no node stores "limt". Did you mean "limit"?',
      ],
    ],
    [
      'a text with a reference to nothing',
      '  a: {type: log, with: {message: "{{nothing}}"}}\n',
      ['4:34: warning[unresolved_variable]: Node \'a\': {{nothing}} in message: no node stores "nothing".'],
    ],
    [
      'a reference to what comes later',
      '  a: {type: log, with: {message: "{{x}}"}, next: b}\n  b: {type: variable, with: {variableName: x, value: 1}}\n',
      [
        "4:34: warning[unresolved_variable]: Node 'a': {{x}} in message: \"x\" is stored by 'b', which never runs before this node.",
      ],
    ],
    [
      'the payload of a schedule',
      '  a: {type: log, with: {message: "{{webhook.x}}"}}\n',
      [
        "4:34: warning[unresolved_variable]: Node 'a': {{webhook.x}} in message: runs of a schedule have no payload.",
      ],
    ],
    [
      'no path at all',
      '  a: {type: log, with: {message: "{{[0]}}"}}\n',
      ["4:34: warning[unresolved_variable]: Node 'a': {{[0]}} in message: this is not a variable name."],
    ],
    [
      'a typo in a field',
      '  a: {type: log, with: {mesage: x}}\n',
      [
        '4:25: error[unknown_field]: Node \'a\': log has no field "mesage": it is ignored. Did you mean "message"?',
      ],
    ],
    [
      'abbreviated fields, which are typos too',
      `  a: {${ORDER.replace('quantity', 'qty')}}}\n`,
      [
        "4:25: error[missing_required_field]: Node 'a' (placeOrder) needs quantity.",
        '4:74: error[unknown_field]: Node \'a\': placeOrder has no field "qty": it is ignored. Did you mean "quantity"?',
      ],
    ],
    [
      'an order without the price of its type',
      `  a: {${ORDER}, priceType: limit}}\n`,
      ["4:25: error[missing_required_field]: Node 'a': a LIMIT order needs price."],
    ],
    [
      'a stop order without its trigger',
      `  a: {${ORDER}, priceType: SL-M}}\n`,
      ["4:25: error[missing_required_field]: Node 'a': a SL-M order needs triggerPrice."],
    ],
    [
      'a fraction of a share',
      `  a: {${ORDER}.5}}\n`,
      ["4:84: error[invalid_quantity]: Node 'a': quantity '1.5' is not a whole number."],
    ],
    [
      'a field that is none',
      '  a: {type: log, with: {message: x, colour: red}}\n',
      ['4:37: warning[unknown_field]: Node \'a\': log has no field "colour": it is ignored.'],
    ],
    [
      'a condition without branches',
      '  a: {type: varCondition, with: {leftValue: 1, operator: ">", rightValue: 2}, next: b}\n  b: {type: log}\n',
      ["4:3: warning[unwired_condition]: Node 'a': it has no yes or no edge, so its result has no effect."],
    ],
    [
      'a result under the name of a built-in variable',
      '  a: {type: funds, with: {outputVariable: day}, next: b}\n  b: {type: variable, with: {variableName: date, value: 1}}\n',
      [
        "4:43: warning[shadowed_variable]: Node 'a': {{day}} is a built-in variable, which hides this result. Use another name.",
        "5:44: warning[shadowed_variable]: Node 'b': {{date}} is a built-in variable, which hides this result. Use another name.",
      ],
    ],
    [
      'an environment variable that is not for workflows',
      `  a: {type: log, with: {message: "\${env:HOME}"}}\n`,
      [
        `4:34: error[invalid_secret]: Node 'a': \${env:HOME} in message: workflows can read only variables named FLOW_….`,
      ],
    ],
    [
      'a secret without a name',
      `  a: {type: log, with: {message: "\${secret:}"}}\n`,
      [`4:34: error[invalid_secret]: Node 'a': \${secret:} in message: this is not a valid secret name.`],
    ],
    [
      'a credential in a header',
      '  a:\n    type: httpRequest\n    with:\n      url: https://x.example\n      headers:\n        Authorization: Bearer abc\n',
      [
        `9:24: warning[literal_secret]: Node 'a': Authorization in headers is in plain text. Use a secret instead: \${secret:name} or \${env:FLOW_NAME}.`,
      ],
    ],
    [
      'a credential in headers as text',
      `  a: {type: httpRequest, with: {url: "https://x.example", headers: '{"X-Api-Key": "abc"}'}}\n`,
      [
        `4:68: warning[literal_secret]: Node 'a': X-Api-Key in headers is in plain text. Use a secret instead: \${secret:name} or \${env:FLOW_NAME}.`,
      ],
    ],
    [
      'a credential in an address',
      '  a: {type: httpRequest, with: {url: "https://x.example/?api_key=abc"}}\n',
      [
        `4:38: warning[literal_secret]: Node 'a': a credential in url is in plain text. Use a secret instead: \${secret:name} or \${env:FLOW_NAME}.`,
      ],
    ],
  ]
  it.each(table)('%s', (_what, nodes, expected) => {
    expect(found(nodes)).toEqual(expected)
  })

  it('a member that the result of its node does not have', () => {
    const nodes =
      '  a: {type: funds, with: {outputVariable: f}, next: b}\n  b: {type: log, with: {message: "{{f.cash}}"}}\n'
    expect(found(nodes)[0]).toMatch(
      /^5:34: error\[unknown_output\]: Node 'b': \{\{f\.cash\}\} in message: "f" has no "cash"\. It has marginused, /,
    )
  })

  it('references in a field whose references are not resolved', () => {
    const nodes = '  a: {type: variable, with: {variableName: "{{webhook.at}}"}}\n'
    expect(found(nodes, {}, WEBHOOK).join()).toContain('references in variableName are not resolved')
  })

  it('a name that is too long', () => {
    const head = HEAD.replace('name: n', `name: ${'n'.repeat(256)}`)
    expect(found('  a: {type: log}\n', {}, head)).toEqual([
      '1:7: error[too_large]: Workflow name is longer than 255 characters.',
    ])
  })

  it('unknown symbols, if the instruments are available', () => {
    const isKnown = (symbol: string, exchange: string) => `${exchange}:${symbol}` === 'NSE:SBIN'
    const nodes = `  a: {${ORDER}}, next: [b, c]}\n  b: {type: getQuote, with: {symbol: SBINN, exchange: nse}}\n  c: {type: getQuote, with: {symbol: "{{date}}", exchange: NSE}}\n`
    expect(found(nodes, { isKnown })).toEqual(['5:38: warning[unknown_symbol]: There is no SBINN on NSE.'])
  })

  it('the graph form has its own positions, and typos of fields are warnings', () => {
    const nodes = '[{id: a, type: start, position: {x: 0, y: 0}, data: {scheduletype: daily}}]'
    expect(found('', {}, `name: n\nnodes: ${nodes}\nedges: []\n`)).toEqual([
      '2:61: warning[unknown_field]: Node \'a\': start has no field "scheduletype": it is ignored. Did you mean "scheduleType"?',
    ])
  })

  it('500 nodes and 1000 edges are checked quickly', () => {
    const nodes = Array.from(
      { length: 498 },
      (_, i) => `  n${i}: {type: log, with: {message: "{{q${i}}}"}, next: [n${i + 1}, n${i + 2}]}\n`,
    )
    const text = `${HEAD.replace('next: a', 'next: n0')}${nodes.join('')}  n498: {type: log}\n`
    const result = readWorkflow(text.replace(', n499]', ']'), 'f')
    if (result.ok) expect(lint(result.value)).toHaveLength(498)
    expect(result.ok).toBe(true)
  })
})
