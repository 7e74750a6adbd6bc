import { pointerOf } from '../../../documents/index.js'
import type { FlowGraph } from '../../graph/graph.js'
import { BUILTINS } from '../../language/builtins.js'
import type { NodeTable } from '../read/readable.js'
import { producersOf } from './producers.js'
import type { GraphFinding } from './references.js'

/** Fields that name the variable a node stores. */
const NAMING = ['outputVariable', 'variableName', 'name']

/** Finds variables with the name of a built-in: a reference always reads the built-in. */
export function shadowedVariables(graph: FlowGraph, table: NodeTable): GraphFinding[] {
  return [...producersOf(graph, table)]
    .filter(([name]) => Object.hasOwn(BUILTINS, name))
    .flatMap(([name, producers]) =>
      producers.map(({ index }): GraphFinding => {
        const { id = '', data = {} } = graph.nodes[index] ?? {}
        const field = NAMING.find((one) => Object.hasOwn(data, one))
        return {
          severity: 'warning',
          code: 'shadowed_variable',
          path: pointerOf(['nodes', index, ...(field === undefined ? [] : ['data', field])]),
          message: `Node '${id}': {{${name}}} is a built-in variable, which hides this result. Use another name.`,
        }
      }),
    )
}
