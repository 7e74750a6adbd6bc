import { isObject } from '../../../validation/index.js'
import { walk } from '../../language/interpolation.js'
import { parseNumber } from '../../language/numbers.js'
import type { Body } from '../../ports.js'
import type { Expectation, ExpectedOrder } from '../scenario.js'

/** The result of a scenario case. */
export interface Outcome {
  status: string
  /** The sent orders, with the field names of the order API. */
  orders: readonly Body[]
  /** Lines of the log. */
  logs: readonly string[]
  variables: ReadonlyMap<string, unknown>
  /** Sent messages. */
  alerts: readonly string[]
  http: readonly { method: string; url: string }[]
  /** Ids of the nodes that ran. */
  visited: ReadonlySet<string>
  /** The nodes that failed, and the errors that ended runs. */
  failures: readonly Failure[]
}

/** A failed node, or an error that ended a run (without a node). */
export interface Failure {
  node?: string
  label?: string
  message: string
}

/**
 * Returns one sentence for each difference from the expectation; empty if there is none. Members that the
 * expectation lacks are not compared.
 */
export function compare(expected: Expectation, outcome: Outcome): string[] {
  return [
    ...status(expected, outcome),
    ...orders(expected.orders, outcome),
    ...contained('the log', 'line', expected.logs, outcome.logs),
    ...contained('the messages sent', 'message', expected.alerts, outcome.alerts),
    ...silence(expected.alerts, outcome),
    ...variables(expected.variables, outcome),
    ...requests(expected.http, outcome),
    ...(expected.visited ?? [])
      .filter((id) => !outcome.visited.has(id))
      .map((id) => `node ${id} did not run`),
    ...(expected.not_visited ?? []).filter((id) => outcome.visited.has(id)).map((id) => `node ${id} ran`),
  ]
}

/** Returns `node 'quote' (Price) failed: …`, once for each error. */
export function failureTexts(failures: readonly Failure[]): string[] {
  const texts = failures.map(({ node, label, message }) => {
    const name = label === undefined ? `node '${node}'` : `node '${node}' (${label})`
    return node === undefined ? `the run failed: ${message}` : `${name} failed: ${message}`
  })
  return [...new Set(texts)]
}

function status({ status: expected }: Expectation, outcome: Outcome): string[] {
  if (expected === undefined || expected === outcome.status) return []
  return [`status: expected ${expected}, was ${outcome.status}`]
}

function orders(expected: readonly ExpectedOrder[] | undefined, { orders: sent }: Outcome): string[] {
  if (expected === undefined) return []
  return pairs(expected, sent).flatMap(([expectedOrder, order], index) => {
    const which = `order ${index + 1}`
    if (expectedOrder === undefined) return [`${which}: unexpected ${orderText(order ?? {})}`]
    if (order === undefined) return [`${which}: expected ${orderText(expectedOrder)}, none was sent`]
    const differs = Object.entries(expectedOrder).some(([key, value]) => !isSame(value, order[key]))
    return differs ? [`${which}: expected ${orderText(expectedOrder)}, was ${orderText(order)}`] : []
  })
}

function contained(
  where: string,
  what: string,
  expected: readonly string[] | undefined,
  actual: readonly string[],
): string[] {
  return (expected ?? [])
    .filter((part) => !actual.some((text) => text.includes(part)))
    .map((part) => `${where}: no ${what} has "${part}"`)
}

/** An empty list of messages means that none may be sent. */
function silence(expected: readonly string[] | undefined, { alerts }: Outcome): string[] {
  if (expected === undefined || expected.length > 0) return []
  return alerts.map((text) => `unexpected message "${text}"`)
}

function variables(expected: Expectation['variables'], outcome: Outcome): string[] {
  return Object.entries(expected ?? {}).flatMap(([path, expectedValue]) => {
    const value = walk(path, outcome.variables)
    if (isSame(expectedValue, value)) return []
    const was = value === undefined ? 'is not set' : `is ${JSON.stringify(value)}`
    return [`variable ${path}: expected ${JSON.stringify(expectedValue)}, ${was}`]
  })
}

function requests(expected: Expectation['http'], { http }: Outcome): string[] {
  if (expected === undefined) return []
  const text = (one: { method: string; url: string } | undefined) =>
    one === undefined ? 'none' : `${one.method.toUpperCase()} ${one.url}`
  return pairs(expected, http).flatMap(([expectedCall, sent], index) =>
    text(expectedCall) === text(sent)
      ? []
      : [`request ${index + 1}: expected ${text(expectedCall)}, was ${text(sent)}`],
  )
}

function pairs<A, B>(one: readonly A[], other: readonly B[]): [A | undefined, B | undefined][] {
  const length = Math.max(one.length, other.length)
  return Array.from({ length }, (_, index) => [one[index], other[index]])
}

/**
 * A number equals its text, because orders may contain either. Objects are compared only in the expected
 * members.
 */
function isSame(expected: unknown, actual: unknown): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      expected.length === actual.length &&
      expected.every((item, index) => isSame(item, actual[index]))
    )
  }
  if (isObject(expected)) {
    return isObject(actual) && Object.entries(expected).every(([key, value]) => isSame(value, actual[key]))
  }
  if (expected === null) return actual === undefined || actual === null
  const [one, other] = [parseNumber(expected), parseNumber(actual)]
  return one === undefined || other === undefined ? expected === actual : one === other
}

/** Returns an order as text: `BUY 10 NSE:SBIN MARKET MIS`. */
function orderText(order: Readonly<Record<string, unknown>>): string {
  const { action, quantity, symbol, exchange, pricetype, price, product } = order
  const at = price === undefined || Number(price) === 0 ? undefined : `at ${String(price)}`
  return [action, quantity, `${String(exchange)}:${String(symbol)}`, pricetype, at, product]
    .filter((part) => part !== undefined && part !== '')
    .map(String)
    .join(' ')
}
