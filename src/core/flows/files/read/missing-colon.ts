import { type Document, isScalar, Scalar, visit } from 'yaml'
import { NODES } from '../../nodes/index.js'

const NODE_KEYS = ['type', 'if', 'label', 'with', 'yes', 'no', 'always', 'next', 'position']
const KEYS = new Set([...NODE_KEYS, ...Object.values(NODES).flatMap(({ fields }) => Object.keys(fields))])

/**
 * Returns the first key without its colon in a line such as `params {period: 9}`. YAML reads that as the key `params {period`,
 * so the file would be valid YAML without the settings.
 */
export function missingColon(document: Document): { key: string; offset: number } | undefined {
  let found: { key: string; offset: number } | undefined
  visit(document, {
    Pair(_index, { key }) {
      if (!isScalar(key) || key.type !== Scalar.PLAIN || !key.range) return undefined
      const [, word = ''] = /^(\w+)\s/.exec(String(key.value)) ?? []
      if (!KEYS.has(word)) return undefined
      found = { key: word, offset: key.range[0] }
      return visit.BREAK
    },
  })
  return found
}
