/** The measured workflow: ten nodes, none of which leaves the process. */

const node = (id: string, type: string, data: Record<string, unknown> = {}) => ({
  id,
  type,
  position: { x: 0, y: 0 },
  data,
})
const edge = (source: string, target: string, sourceHandle?: string) => ({
  id: `${source}-${target}`,
  source,
  target,
  ...(sourceHandle !== undefined && { sourceHandle }),
})

export const TEN_NODES = {
  nodes: [
    node('start', 'start'),
    node('price', 'variable', { variableName: 'price', operation: 'set', value: 812.5 }),
    node('limit', 'variable', { variableName: 'limit', operation: 'set', value: 800 }),
    node('move', 'mathExpression', {
      expression: '({{price}} - {{limit}}) / {{limit}} * 100',
      outputVariable: 'move',
    }),
    node('above', 'varCondition', { leftValue: '{{price}}', operator: '>', rightValue: '{{limit}}' }),
    node('small', 'varCondition', { leftValue: '{{move}}', operator: '<', rightValue: '5' }),
    node('both', 'andGate'),
    node('count', 'variable', { variableName: 'count', operation: 'increment' }),
    node('double', 'mathExpression', { expression: '{{count}} * 2', outputVariable: 'double' }),
    node('say', 'log', { message: 'moved {{move}} %, {{double}} times' }),
  ],
  edges: [
    edge('start', 'price'),
    edge('price', 'limit'),
    edge('limit', 'move'),
    edge('move', 'above'),
    edge('move', 'small'),
    edge('above', 'both'),
    edge('small', 'both'),
    edge('both', 'count', 'yes'),
    edge('count', 'double'),
    edge('double', 'say'),
  ],
}

/** The same workflow as functions that call each other: no engine can be faster. */
export function tenCalls(): string[] {
  const variables = new Map<string, number>()
  const lines: string[] = ['Starting']
  const get = (name: string) => variables.get(name) ?? 0
  const set = (name: string, value: number) => {
    variables.set(name, value)
    lines.push(`${name} = ${value}`)
  }
  set('price', 812.5)
  set('limit', 800)
  set('move', ((get('price') - get('limit')) / get('limit')) * 100)
  const above = get('price') > get('limit')
  const small = get('move') < 5
  if (above && small) {
    set('count', get('count') + 1)
    set('double', get('count') * 2)
    lines.push(`moved ${get('move')} %, ${get('double')} times`)
  }
  return lines
}
