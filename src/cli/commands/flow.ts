import type { CommandSpec } from '../command.js'
import { nodes } from './flow/nodes.js'
import { schema } from './flow/schema.js'
import { validate } from './flow/validate.js'

export const flow: CommandSpec = {
  name: 'flow',
  summary: 'Workflows, as files and in the daemon.',
  examples: [
    'flow validate flows',
    'flow nodes',
    'flow nodes placeOrder',
    'flow schema --out flow.schema.json',
  ],
  verbs: [validate, schema, nodes],
}
