import { yamlOf } from '../../documents/index.js'
import { NODES } from '../nodes/index.js'
import { toReadable, type WriteOptions } from './read/to-readable.js'
import type { Workflow } from './workflow.js'

export interface WriteReadableOptions extends WriteOptions {
  /** The identity of the workflow, if the file name is not to give it. */
  key?: string
  /** The path of the JSON Schema for editors, relative to the file. */
  schema?: string
}

/** Returns the canonical readable form. The same workflow always gives the same text. */
export function writeReadable(workflow: Workflow, options: WriteReadableOptions = {}): string {
  const { key, schema, ...rest } = options
  const nodes = toReadable(workflow.graph, NODES, rest)
  return yamlOf(
    new Map<string, unknown>([
      ...(key === undefined ? [] : [['id', key] as const]),
      ['name', workflow.name],
      ...(workflow.description === null ? [] : [['description', workflow.description] as const]),
      ['nodes', nodes],
    ]),
    schema === undefined ? undefined : ` yaml-language-server: $schema=${schema}`,
  )
}
