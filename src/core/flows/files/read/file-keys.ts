import { NODES } from '../../nodes/index.js'

const NODE_KEYS = ['type', 'if', 'label', 'with', 'yes', 'no', 'always', 'next', 'position']

/** The names of fields in workflow files, after which a missing colon is recognised. */
export const FILE_KEYS: ReadonlySet<string> = new Set([
  ...NODE_KEYS,
  ...Object.values(NODES).flatMap(({ fields }) => Object.keys(fields)),
])
