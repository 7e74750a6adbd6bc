import { type Document, isScalar, Scalar, visit } from 'yaml'

/**
 * Returns the first key without its colon in a line such as `params {period: 9}`. YAML reads that as the key `params {period`,
 * so the file would be valid YAML without the settings.
 */
export function missingColon(
  document: Document,
  keys: ReadonlySet<string>,
): { key: string; offset: number } | undefined {
  let found: { key: string; offset: number } | undefined
  visit(document, {
    Pair(_index, { key }) {
      if (!isScalar(key) || key.type !== Scalar.PLAIN || !key.range) return undefined
      const [, word = ''] = /^(\w+)\s/.exec(String(key.value)) ?? []
      if (!keys.has(word)) return undefined
      found = { key: word, offset: key.range[0] }
      return visit.BREAK
    },
  })
  return found
}
