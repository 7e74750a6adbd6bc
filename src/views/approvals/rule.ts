import { rupees } from '../table/cells.js'
import type { Approval } from './approval.js'
import type { PlannedOrder } from './plan.js'

/** Which waiting orders an approval is for. Amounts are in rupees and percent. */
export interface ApprovalRule {
  strategy?: string | undefined
  symbol?: string | undefined
  exchange?: string | undefined
  maxValue?: number | undefined
  maxDrift?: number | undefined
}

/** A rule as a line, with all its parts. */
export const RULE_EXAMPLE = 'strategy:momentum symbol:NSE:SBIN value<50k drift<0.5%'

const CHOICES = 'Write strategy:NAME, symbol:SBIN, value<50k or drift<0.5%.'

/** Why a line is no rule, as a sentence. */
interface NoRule {
  refusal: string
}

/** Each part of a line: its name, what stands after it, and what it says. */
const PARTS: readonly {
  name: string
  sign: string
  /** Returns what the part says; undefined for words that it does not take. */
  read(text: string): ApprovalRule | undefined
}[] = [
  { name: 'strategy', sign: ':', read: (strategy) => ({ strategy }) },
  { name: 'symbol', sign: ':', read: symbolOf },
  { name: 'value', sign: '<', read: (text) => limit('maxValue', amountOf(text)) },
  { name: 'drift', sign: '<', read: (text) => limit('maxDrift', amountOf(text.replace(/%$/, ''))) },
]

/** Reads a line such as {@link RULE_EXAMPLE}. An empty line is a rule that every order fits. */
export function parseRule(line: string): ApprovalRule | NoRule {
  if ((line.match(/"/g) ?? []).length % 2 === 1) return { refusal: 'A quotation mark is missing.' }
  const rule: ApprovalRule = {}
  const given = new Set<string>()
  for (const word of line.match(/(?:"[^"]*"|[^\s"])+/g) ?? []) {
    const [, name = '', sign = '', text = ''] =
      /^([a-z]+)(:|<)(.*)$/i.exec(word.replaceAll('"', '').replace(/^(\w+)<=/, '$1<')) ?? []
    const part = PARTS.find((one) => one.name === name.toLowerCase() && one.sign === sign)
    if (part === undefined) return { refusal: `"${word}" is no part of a rule. ${CHOICES}` }
    if (given.has(part.name)) return { refusal: `${part.name} stands there twice.` }
    given.add(part.name)
    const said = text === '' ? undefined : part.read(text)
    if (said === undefined) return { refusal: `"${word}" says nothing. ${CHOICES}` }
    Object.assign(rule, said)
  }
  return rule
}

function symbolOf(text: string): ApprovalRule | undefined {
  const words = text.toUpperCase().split(':')
  const symbol = words.pop()
  const [exchange, ...others] = words
  if (!symbol || exchange === '' || others.length > 0) return undefined
  return exchange === undefined ? { symbol } : { symbol, exchange }
}

function limit(name: 'maxValue' | 'maxDrift', amount: number | undefined): ApprovalRule | undefined {
  return amount === undefined ? undefined : { [name]: amount }
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1e3, l: 1e5, lakh: 1e5, cr: 1e7 }

/** Returns an amount such as `50k`, `1,20,000` or `2.5l`. */
function amountOf(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d[\d,]*(?:\.\d+)?)([a-z]*)$/i.exec(text) ?? []
  const times = UNITS[unit.toLowerCase()]
  return digits === undefined || times === undefined ? undefined : Number(digits.replaceAll(',', '')) * times
}

/** Returns whether an order is one that a rule names. Its limits are another matter: see {@link beyondRule}. */
export function isNamedBy({ exchange, strategy, symbol }: ApprovalRule, row: Approval): boolean {
  return (
    (strategy === undefined || row.strategy === strategy) &&
    (symbol === undefined || row.symbol === symbol) &&
    (exchange === undefined || row.exchange === exchange)
  )
}

/** Returns the value of an order; null if it is not known, also of a part that would not be sent now. */
function knownValue({ legs, value }: PlannedOrder): number | null {
  return legs.some(({ problem }) => problem !== undefined) ? null : value
}

/**
 * Returns the money at stake with an order, in rupees: its value, or its margin if that is more, as of a sold option. Null if
 * one of them is not known.
 */
export function orderAtStake(order: PlannedOrder): number | null {
  const value = knownValue(order)
  const { legs, margin } = order
  if (value === null) return null
  if (margin !== null) return Math.max(value, margin)
  const isCash = legs.every(({ exchange }) => CASH.has(exchange))
  return isCash ? value : null
}

/** Returns the money at stake with some orders, in rupees; null if that of one of them is not known. */
export function moneyAtStake(orders: readonly PlannedOrder[]): number | null {
  let sum = 0
  for (const order of orders) {
    const stake = orderAtStake(order)
    if (stake === null) return null
    sum += stake
  }
  return sum
}

const CASH: ReadonlySet<string> = new Set(['NSE', 'BSE'])

/** Returns why an order is beyond a limit of a rule. What is not known now counts as beyond: an old price says nothing. */
export function beyondRule(order: PlannedOrder, { maxDrift, maxValue }: ApprovalRule): string | undefined {
  const { legs } = order
  const value = knownValue(order)
  if (maxValue !== undefined && (value === null || value > maxValue))
    return `its value is ${value === null ? 'not known' : rupees(value)}, and the limit is ${rupees(maxValue)}`
  if (maxDrift === undefined) return undefined
  const drifts = legs.map(({ drift_percent: drift }) => drift)
  // Of a request that cannot be planned now no leg is known, and so no drift.
  if (drifts.length === 0 || drifts.includes(null)) return 'the drift of its price is not known'
  const most = Math.max(...drifts.map((drift) => Math.abs(drift ?? 0)))
  return most > maxDrift ? `its price has moved by ${most} %, and the limit is ${maxDrift} %` : undefined
}

/** Returns whether an approval would send an order now. */
export function sendsSomething({ legs }: PlannedOrder): boolean {
  return legs.some(({ problem }) => problem === undefined)
}
