import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FlowGraph } from '../../../../src/core/flows/graph/graph.js'
import { rounds } from '../../../support/chance/chance.js'
import { broken, edges, graphOf, no, node, note, order, run, unknown, yes } from '../graphs.js'

type Made = readonly [type: string, data?: Record<string, unknown>]

const KINDS: readonly Made[] = [
  yes,
  no,
  unknown,
  broken,
  note('x'),
  order,
  ['andGate'],
  ['orGate'],
  ['notGate'],
]
const HANDLES = ['', 'yes', 'no']

/** Any graph with the trigger `n0`. Without `cyclic`, edges only lead to later nodes. */
function graphs({ cyclic, kinds = KINDS }: { cyclic: boolean; kinds?: readonly Made[] }) {
  return fc
    .tuple(
      fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 14 }),
      fc.array(fc.tuple(fc.nat(14), fc.nat(14), fc.constantFrom(...HANDLES)), { maxLength: 30 }),
    )
    .map(([made, wires]): FlowGraph => {
      const nodes = [
        node('n0', 'start'),
        ...made.map(([type, data], index) => node(`n${index + 1}`, type, data)),
      ]
      const texts = wires.flatMap(([a, b, handle]) => {
        const [from, to] = [a % nodes.length, b % nodes.length]
        if (!cyclic && from === to) return []
        const [source, target] = cyclic ? [from, to] : [Math.min(from, to), Math.max(from, to)]
        return [`n${source} ${handle}${handle === '' ? '-' : ''}> n${target}`]
      })
      return { nodes, edges: edges(...texts) }
    })
}

function reachable({ edges: wires }: FlowGraph, from: string): Set<string> {
  const reached = new Set([from])
  for (const id of reached) for (const { source, target } of wires) if (source === id) reached.add(target)
  return reached
}

test.each([{ cyclic: false }, { cyclic: true }])(
  'any walk ends within its bounds ($cyclic)',
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(graphs(kind), async (graph) => {
        const { visited, ports, status, failures, aborted, error } = await run(graph)
        const known = reachable(graph, 'n0')
        expect(visited.every((id) => known.has(id))).toBe(true)
        expect(visited.length).toBeLessThanOrEqual(500)
        for (const { id, type } of graph.nodes) {
          if (type.endsWith('Gate')) expect(visited.filter((one) => one === id).length).toBeLessThanOrEqual(1)
        }
        const keys = ports.sent.map(({ context }) => context.idempotencyKey)
        expect(new Set(keys).size).toBe(keys.length)
        const orders = graph.nodes.flatMap(({ id, type }) => (type === 'placeOrder' ? [id] : []))
        expect(keys).toHaveLength(visited.filter((id) => orders.includes(id)).length)
        if (aborted) expect(error).toMatch(/^Maximum node (depth \(100\)|visits \(500\)) exceeded$/)
        expect(status === 'failed').toBe(aborted || failures.length > 0)
      }),
      { numRuns: rounds(150) },
    )
  },
)

test('equal graphs give equal visits, lines and orders', async () => {
  await fc.assert(
    fc.asyncProperty(graphs({ cyclic: true }), async (graph) => {
      const [one, other] = [await run(graph), await run(structuredClone(graph))]
      expect(other.visited).toEqual(one.visited)
      expect(other.logs).toEqual(one.logs)
      expect(other.ports.sent).toEqual(one.ports.sent)
    }),
    { numRuns: rounds(60) },
  )
})

test('where no condition holds, nothing behind a yes is reached', async () => {
  const kinds: readonly Made[] = [no, no, note(), ['andGate'], ['orGate']]
  await fc.assert(
    fc.asyncProperty(graphs({ cyclic: false, kinds }), async (graph) => {
      const guarded = {
        ...graph.nodes[0],
        id: 'guarded',
        type: 'placeOrder',
        position: { x: 0, y: 0 },
        data: order[1],
      }
      const sources = graph.nodes.filter(({ type }) => !['start', 'log'].includes(type))
      const wires = sources.map(({ id }) => ({
        id: `y-${id}`,
        source: id,
        target: 'guarded',
        sourceHandle: 'yes',
      }))
      const { ports } = await run({ nodes: [...graph.nodes, guarded], edges: [...graph.edges, ...wires] })
      expect(ports.sent).toEqual([])
    }),
    { numRuns: rounds(100) },
  )
})

test('a gate with an undecided input never decides, in whatever order the inputs arrive', async () => {
  const input = fc.constantFrom(yes, no, unknown)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('andGate', 'orGate'),
      fc.array(input, { minLength: 1, maxLength: 6 }),
      fc.array(fc.constantFrom(...HANDLES), { minLength: 6, maxLength: 6 }),
      async (kind, inputs, handles) => {
        const graph = graphOf(
          { ...Object.fromEntries(inputs.map((made, i) => [`c${i}`, made])), g: [kind], y: order, n: note() },
          ...inputs.map((_, i) => `t -> c${i}`),
          ...inputs.map((_, i) => `c${i} ${handles[i] || '-'}> g`),
          'g yes> y',
          'g no> n',
        )
        const { visited, ports } = await run(graph)
        const decides = !inputs.includes(unknown)
        const holds = kind === 'andGate' ? inputs.every((made) => made === yes) : inputs.includes(yes)
        expect(visited.includes('g')).toBe(decides)
        expect(ports.sent).toHaveLength(decides && holds ? 1 : 0)
      },
    ),
    { numRuns: rounds(150) },
  )
})
