import { Document, isMap, isSeq, Scalar, visit } from 'yaml'

/** Text that YAML 1.1 parsers read as another type. It is quoted, although this project reads it as text. */
const MISREAD = /^(y|n|yes|no|on|off)$|^\d+:\d/i
/** A key of several words is quoted: a reader takes `if price {…}` for a field whose colon is missing. */
const SEVERAL_WORDS = /\s/
const LONGEST_LINE = 100

/** Returns a value as YAML: short lists on one line, a `Map` in its order. */
export function yamlOf(value: unknown, comment?: string): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  visit(document, {
    Scalar(key, node) {
      const misread = key === 'key' ? SEVERAL_WORDS : MISREAD
      if (typeof node.value === 'string' && misread.test(node.value)) node.type = Scalar.QUOTE_DOUBLE
    },
    Collection(_key, node) {
      if (isSeq(node)) node.flow = JSON.stringify(node.toJSON()).length <= LONGEST_LINE
      if (isMap(node) && node.items.length > 0) node.flow = isShortPoint(node.toJSON())
    },
  })
  if (comment !== undefined) document.commentBefore = comment
  return document.toString({ lineWidth: 0, flowCollectionPadding: false })
}

/** Returns whether a map is a point such as `{ x: 0, y: 120 }`. */
function isShortPoint(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).join() === 'x,y'
}
