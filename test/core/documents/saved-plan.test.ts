import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readSavedPlan, type SavedPlan, savedPlanText } from '../../../src/core/documents/index.js'
import { isObject } from '../../../src/core/validation/index.js'
import { rounds } from '../../support/chance/chance.js'

const PLAN: SavedPlan = {
  made_at: '2026-11-20T04:00:00.000Z',
  daemon: 'b2f1c3d4e5f60718293a4b5c6d7e8f90',
  prune: true,
  activate: false,
  complete: true,
  commit: null,
  rows: [
    {
      kind: 'workflow',
      key: 'range',
      action: 'update',
      moved_from: 'old-range',
      id: 3,
      on: true,
      beside: false,
      version: 4,
      by: 'asha',
      at: '2026-11-19T10:00:00+05:30',
      changes: ['~ name: "Old" -> "Range"'],
    },
  ],
  workflows: [
    {
      key: 'range',
      moved: ['old-range'],
      file: 'flows/range.yaml',
      name: 'Range',
      description: null,
      nodes: [{ id: 'buy', type: 'placeOrder', data: { quantity: 10 } }],
      edges: [],
    },
  ],
  strategies: [{ key: 'straddle', config: { name: 'Straddle', legs: [{ lots: 1, sl_pts: null }] } }],
}

test('a saved plan is read as it was written', () => {
  expect(readSavedPlan(savedPlanText(PLAN))).toEqual({ plan: PLAN })
})

test('the order of members does not matter, because the digest is of the content', () => {
  const { svc_plan: form, ...rest } = JSON.parse(savedPlanText(PLAN))
  expect(readSavedPlan(JSON.stringify({ ...rest, svc_plan: form }))).toEqual({ plan: PLAN })
})

test.each([
  ['an empty file', '', 'it is no plan of svc flow plan --out'],
  ['a workflow', '{"id":"a","name":"A","nodes":[],"edges":[]}', 'it is no plan of svc flow plan --out'],
  ['half a plan', savedPlanText(PLAN).slice(0, 200), 'it is no plan of svc flow plan --out'],
  [
    'another form',
    savedPlanText(PLAN).replace('"svc_plan": 1', '"svc_plan": 2'),
    'another version of svc wrote it',
  ],
  [
    'more content',
    savedPlanText(PLAN).replace('"svc_plan": 1', '"svc_plan": 1, "more": 1'),
    'it was changed or damaged after it was written',
  ],
  [
    'another quantity',
    savedPlanText(PLAN).replace('"quantity": 10', '"quantity": 100'),
    'it was changed or damaged after it was written',
  ],
  [
    'another version',
    savedPlanText(PLAN).replace('"version": 4', '"version": 5'),
    'it was changed or damaged after it was written',
  ],
  [
    'no digest',
    savedPlanText(PLAN).replace(/"sha256": "[0-9a-f]+"/, '"sha256": ""'),
    'it was changed or damaged after it was written',
  ],
])('%s is refused', (_, text, problem) => {
  expect(readSavedPlan(text)).toEqual({ problem })
})

/** Returns the paths of all values in a document that are no lists and no objects. */
function leaves(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (Array.isArray(value)) return value.flatMap((one, index) => leaves(one, [...path, index]))
  if (isObject(value)) return Object.entries(value).flatMap(([key, one]) => leaves(one, [...path, key]))
  return [path]
}

function withLeaf(value: unknown, [head, ...rest]: readonly (string | number)[], leaf: unknown): unknown {
  if (head === undefined) return leaf
  if (Array.isArray(value))
    return value.map((one, index) => (index === head ? withLeaf(one, rest, leaf) : one))
  if (!isObject(value)) return value
  return { ...value, [head]: withLeaf(value[String(head)], rest, leaf) }
}

test('a plan with any other value in it is refused', () => {
  const document: unknown = JSON.parse(savedPlanText(PLAN))
  const paths = leaves(document)
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.constant([]))
  fc.assert(
    fc.property(fc.constantFrom(...paths), value, (path, leaf) => {
      const changed = JSON.stringify(withLeaf(document, path, leaf))
      if (changed === JSON.stringify(document)) return
      expect(readSavedPlan(changed)).toHaveProperty('problem')
    }),
    { numRuns: rounds(300) },
  )
})

test('a plan that is nested without end is damaged, and no error of the engine', () => {
  const endless = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
  const text = savedPlanText(PLAN).replace('"quantity": 10', `"quantity": ${endless}`)
  expect(readSavedPlan(text)).toEqual({ problem: 'it was changed or damaged after it was written' })
})
