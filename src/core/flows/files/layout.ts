import type { FlowEdge } from '../graph/graph.js'

const COLUMN = 220
const ROW = 120

export interface Position {
  x: number
  y: number
}

/**
 * Returns a position for every node: one centred row per step from the start of the graph. Nodes without a
 * path from the start form the last row.
 */
export function layout(ids: readonly string[], edges: readonly FlowEdge[]): Map<string, Position> {
  const positions = new Map<string, Position>()
  rowsOf(ids, edges).forEach((row, depth) => {
    row.forEach((id, index) => {
      positions.set(id, { x: (2 * index - (row.length - 1)) * (COLUMN / 2), y: depth * ROW })
    })
  })
  return positions
}

function rowsOf(ids: readonly string[], edges: readonly FlowEdge[]): string[][] {
  const targets = new Map<string, string[]>(ids.map((id) => [id, []]))
  const entered = new Set<string>()
  for (const { source, target } of edges) {
    if (!targets.has(target)) continue
    targets.get(source)?.push(target)
    entered.add(target)
  }
  const seen = new Set(ids.filter((id) => !entered.has(id)))
  const rows: string[][] = []
  for (let row = [...seen]; row.length > 0; ) {
    rows.push(row)
    const below = new Set(row.flatMap((id) => targets.get(id) ?? []).filter((id) => !seen.has(id)))
    for (const id of below) seen.add(id)
    row = [...below]
  }
  const strays = ids.filter((id) => !seen.has(id))
  return strays.length > 0 ? [...rows, strays] : rows
}
