import type { Condition } from './parse.js'

/** Returns the text of a condition, with parentheses only where they are needed. */
export function conditionText(condition: Condition): string {
  switch (condition.kind) {
    case 'not':
      return `not ${grouped(condition.term, ['and', 'or'])}`
    case 'and':
      return condition.terms.map((term) => grouped(term, ['or'])).join(' and ')
    case 'or':
      return condition.terms.map(conditionText).join(' or ')
    default:
      return `${condition.left.text} ${condition.operator} ${condition.right.text}`
  }
}

function grouped(term: Condition, looser: readonly Condition['kind'][]): string {
  return looser.includes(term.kind) ? `(${conditionText(term)})` : conditionText(term)
}
