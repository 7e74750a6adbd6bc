import { describe, expect, it } from 'vitest'
import { parseCondition } from '../../../../../src/core/flows/files/condition/parse.js'
import { conditionText } from '../../../../../src/core/flows/files/condition/text.js'
import { ConditionError } from '../../../../../src/core/flows/files/condition/tokens.js'

/** Returns the condition with all parentheses written out. */
function grouped(text: string): string {
  const shown = (condition: ReturnType<typeof parseCondition>): string => {
    if ('operator' in condition) return conditionText(condition)
    if ('term' in condition) return `not(${shown(condition.term)})`
    return `${condition.kind}(${condition.terms.map(shown).join(', ')})`
  }
  return shown(parseCondition(text))
}

function mistake(text: string): string {
  try {
    parseCondition(text)
  } catch (error) {
    if (error instanceof ConditionError) return `${error.at}: ${error.message}`
    throw error
  }
  return 'none'
}

describe('the text of an if', () => {
  it.each([
    ['{{a}} < 1', '{{a}} < 1'],
    ['{{ a.b[0] }}>=-1.5e3', '{{ a.b[0] }} >= -1.5e3'],
    ['{{a}} < 1 and {{b}} > 2 and {{c}} == 3', 'and({{a}} < 1, {{b}} > 2, {{c}} == 3)'],
    ['{{a}} < 1 or {{b}} > 2 and {{c}} == 3', 'or({{a}} < 1, and({{b}} > 2, {{c}} == 3))'],
    ['({{a}} < 1 or {{b}} > 2) and {{c}} == 3', 'and(or({{a}} < 1, {{b}} > 2), {{c}} == 3)'],
    ['({{a}} < 1 and {{b}} > 2) and {{c}} == 3', 'and({{a}} < 1, {{b}} > 2, {{c}} == 3)'],
    ['not {{a}} < 1 and {{b}} > 2', 'and(not({{a}} < 1), {{b}} > 2)'],
    ['not ({{a}} < 1 and\n  {{b}} > 2)', 'not(and({{a}} < 1, {{b}} > 2))'],
    ["{{s}} == 'complete' or {{s}} != \"it's\"", "or({{s}} == 'complete', {{s}} != \"it's\")"],
    ['{{open}} == true', '{{open}} == true'],
    ['{{time}} >= 09:30 and {{time}} < 15:05:30', 'and({{time}} >= 09:30, {{time}} < 15:05:30)'],
  ])('%s', (text, meaning) => {
    expect(grouped(text)).toBe(meaning)
  })

  it.each([
    ['', '0: This "if" is empty.'],
    ['{{a}} <', '7: This "if" ends too early: a value is missing.'],
    ['{{a}}', '5: A comparison is missing after {{a}}, such as {{a}} == true.'],
    ['{{a}} < 1 {{b}} > 2', '10: "and" or "or" is missing before "{{b}}".'],
    ['{{a}} < 1 AND {{b}} > 2', '10: "and" or "or" is missing before "AND". Write "and".'],
    ['{{a}} < 1 && {{b}} > 2', '10: Write "and".'],
    ['{{a}} < 1 || {{b}} > 2', '10: Write "or".'],
    ['!({{a}} < 1)', '0: Write "not".'],
    ['{{a}} = 1', '6: Write "==" to compare.'],
    ['{{a < 1', '0: This reference is not closed: "}}" is missing.'],
    ["{{a}} == 'x", '9: This text is not closed: its second quote is missing.'],
    ['{{a}} - 1 > 2', '6: An "if" does not calculate: compute the value in a mathExpression step before it.'],
    ['{{a}} < 5m', '8: This is not a number.'],
    [
      'rsi.value < 30',
      '0: A value is missing before "rsi.value". Write a variable as {{rsi.value}}, and text in quotes.',
    ],
    [
      '{{a}} == complete',
      '9: A value is missing before "complete". Write a variable as {{complete}}, and text in quotes.',
    ],
    ['1 < {{a}} < 3', '10: Each comparison has one operator: join two comparisons with "and".'],
    ['({{a}} < 1 and {{b}} > 2', '0: This "(" has no ")".'],
    ['{{a}} < 1)', '9: This ")" has no "(".'],
    ["{{a}} < 'x'", '6: Texts are compared only with == and !=.'],
    ["5 == 'x'", '0: 5 is never equal to a text: write both sides alike.'],
    ['{{a}} >= 09:30', '0: Only {{time}} is compared with a time of day: {{time}} >= 09:30.'],
    ['{{time}} >= 930', '12: {{time}} is compared with a time of day: {{time}} >= 09:30.'],
    ['{{time}} >= 25:10', '12: 25:10 is not a time of day.'],
    ['{{time}} != 09:30', '9: Times are compared with <, <=, >, >= and ==.'],
    [`${'('.repeat(60)}{{a}} < 1${')'.repeat(60)}`, '51: This is nested too deeply.'],
  ])('refuses %s', (text, message) => {
    expect(mistake(text)).toBe(message)
  })
})
