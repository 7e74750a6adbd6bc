import { istTime } from '../../time/index.js'
import { isObject } from '../../validation/index.js'
import { hasReference, isBlank, LIMITS } from '../graph/graph.js'
import { loggedUrl, requestUrl } from '../http-guard.js'
import { interpolatedText } from '../language/interpolation.js'
import { jsonIn } from '../language/json.js'
import { parseNumber } from '../language/numbers.js'
import type { Body, HttpRequest } from '../ports.js'
import {
  defineNode,
  type FieldProblem,
  type NodeDefinition,
  NodeError,
  type NodeRun,
  succeeded,
} from './definition.js'
import { PHONE, WEB_ADDRESS } from './form.js'
import { anything, number, object, texts } from './output.js'

/** Nodes that send HTTP requests and messages. */

const outbound = { family: 'utility', effect: 'outbound' } as const

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
type Method = (typeof METHODS)[number]
const WITHOUT_BODY: ReadonlySet<Method> = new Set(['GET', 'DELETE'])

const DEFAULT_TIMEOUT_MS = 30_000
const LEAST_TIMEOUT_MS = 1000
const JSON_TYPE = 'application/json'

const REQUEST_FIELDS = {
  method: { kind: 'text', default: 'GET', choices: METHODS, description: 'HTTP method.' },
  url: {
    kind: 'text',
    required: true,
    form: WEB_ADDRESS,
    description: 'URL with http or https. The address must be public, or allowed by the configuration.',
  },
  headers: {
    kind: 'json',
    default: '{}',
    jsonText: true,
    description: 'Headers: a mapping, or JSON text.',
  },
  body: {
    kind: 'json',
    jsonText: true,
    default: '',
    description:
      'Body of POST, PUT and PATCH. A mapping and JSON text are sent as JSON, other text unchanged.',
  },
  timeout: {
    kind: 'integer',
    default: DEFAULT_TIMEOUT_MS,
    description:
      'Timeout of the whole request in milliseconds, at least 1000. More than 60000 counts as 60000.',
  },
} as const

type RequestRun = NodeRun<Extract<keyof typeof REQUEST_FIELDS, string>>

const httpRequest = defineNode({
  ...outbound,
  type: 'httpRequest',
  summary: 'Sends an HTTP request. Redirects are not followed.',
  storesOutput: true,
  defaultOutput: 'response',
  fields: REQUEST_FIELDS,
  output: {
    statusCode: number('Status of the response. A status outside 200 to 299 ends the branch.'),
    data: anything('Body of the response, at most 1 MiB: parsed if it is JSON, text otherwise.'),
  },
  check: requestProblems,
  run: async (run) => {
    const request = requestOf(run)
    run.log(`HTTP ${request.method} ${loggedUrl(requestUrl(request.url))}`)
    const { statusCode, data } = await run.ports.http.send(request)
    if (statusCode >= 200 && statusCode <= 299) return succeeded({ statusCode, data })
    const message = `The server answered ${statusCode}`
    return { status: 'error', message, error: message, statusCode, data }
  },
})

/** Checks the parts of a request that contain no references. */
function requestProblems({ method, headers, timeout }: Readonly<Body>): FieldProblem[] {
  const problems: FieldProblem[] = []
  const open = (value: unknown) => isBlank(value) || hasReference(value)
  if (!open(method) && !METHODS.some((one) => one === interpolatedText(method).trim().toUpperCase())) {
    const message = `method '${interpolatedText(method)}' is not one of ${METHODS.join(', ')}`
    problems.push({ field: 'method', code: 'invalid_method', message, expected: METHODS, received: method })
  }
  if (!open(headers) && !isObject(typeof headers === 'string' ? jsonOf(headers) : headers)) {
    const message = 'headers must be a JSON object'
    problems.push({ field: 'headers', code: 'invalid_headers', message, received: headers })
  }
  const ms = typeof timeout === 'boolean' ? undefined : parseNumber(timeout)
  const isGiven = timeout !== undefined && timeout !== null && !hasReference(timeout)
  // A longer timeout is allowed; the run limits it.
  if (isGiven && (ms === undefined || ms < LEAST_TIMEOUT_MS)) {
    const message = `timeout must be at least ${LEAST_TIMEOUT_MS} milliseconds`
    problems.push({ field: 'timeout', code: 'invalid_timeout', message, received: timeout })
  }
  return problems
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function requestOf(run: RequestRun): HttpRequest {
  const method = methodOf(run)
  const headers = headersOf(run)
  const url = run.text('url').trim()
  if (url === '') throw new NodeError('No URL specified')
  const sent = WITHOUT_BODY.has(method) ? undefined : bodyOf(run)
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  return {
    method,
    url,
    headers: { ...headers, ...(sent?.isJson && !hasType && { 'Content-Type': JSON_TYPE }) },
    ...(sent && { body: sent.text }),
    timeoutMs: timeoutOf(run.integer('timeout')),
    signal: run.signal,
  }
}

function methodOf(run: RequestRun): Method {
  const given = run
    .interpolate(interpolatedText(run.raw('method')))
    .trim()
    .toUpperCase()
  const method = METHODS.find((one) => one === given)
  if (!method) throw new NodeError(`Unsupported method: ${given}`)
  return method
}

function headersOf(run: RequestRun): Record<string, string> {
  const given = filled(run.raw('headers'), run)
  const parsed = typeof given === 'string' ? parsedHeaders(given) : given
  if (!isObject(parsed)) throw new NodeError(`headers must be a JSON object, got ${kindOf(parsed)}`)
  return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, interpolatedText(value)]))
}

function parsedHeaders(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new NodeError(`headers is not valid JSON: ${error instanceof Error ? error.message : text}`)
  }
}

function bodyOf(run: RequestRun): { text: string; isJson: boolean } {
  const given = filled(run.raw('body'), run)
  if (typeof given !== 'string') return { text: interpolatedText(given), isJson: true }
  if (given.trim() === '') return { text: '{}', isJson: true }
  return { text: given, isJson: isJson(given) }
}

function timeoutOf(given: number): number {
  return given <= 0 ? DEFAULT_TIMEOUT_MS : Math.min(given, LIMITS.httpTimeoutMs)
}

/**
 * Resolves the references of a value. If the stored text is JSON, resolves each string in it separately, so
 * that data of a webhook cannot change the JSON around it.
 */
function filled(saved: unknown, run: RequestRun): unknown {
  if (typeof saved !== 'string') return run.interpolateAll(saved)
  const filledIn = run.interpolate(saved)
  if (filledIn === saved || !isJson(saved)) return filledIn
  const parsed = jsonIn(saved)
  return typeof parsed === 'object' ? run.interpolateAll(parsed) : filledIn
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}

const messageField = {
  kind: 'text',
  required: true,
  embedsJson: true,
  description: 'Text of the message.',
} as const

/** Telegram's limit for one message, including the heading and the line with the time. */
const MAX_TEXT = 4096

const telegramAlert = defineNode({
  ...outbound,
  type: 'telegramAlert',
  summary: "Sends a text to the user's linked Telegram chat.",
  fields: { message: messageField },
  output: { data: object(texts('message'), '`message`: a text that confirms the queued message.') },
  run: async (run) => {
    const message = alertText(run.text('message'))
    const tail = `\n\n${istTime(run.ports.clock.now())} IST`
    const text = `Flow Alert\n\n${message}`.slice(0, MAX_TEXT - tail.length) + tail
    await run.ports.notifier.telegram(run.userId, text)
    run.log(`Telegram alert: ${message}`)
    return succeeded({ data: { message: 'Alert queued successfully' } })
  },
})

const whatsappAlert = defineNode({
  ...outbound,
  type: 'whatsappAlert',
  summary: 'Sends a text by WhatsApp.',
  fields: {
    message: messageField,
    to: {
      kind: 'text',
      default: '',
      form: PHONE,
      description: "Phone number with country code. Default: the user's own number.",
    },
  },
  output: { data: object(texts('message'), '`message`: a text that confirms the sent message.') },
  run: async (run) => {
    const [message, to] = [alertText(run.text('message')), phoneOf(run.text('to'))]
    await run.ports.notifier.whatsapp(run.userId, message, to)
    run.log(`WhatsApp alert: ${message}`)
    return succeeded({ data: { message: 'Alert sent successfully' } })
  },
})

function alertText(message: string): string {
  if (message.trim() === '') throw new NodeError('No message specified')
  return message
}

/** Returns the digits of a phone number; empty for the user's own number. */
function phoneOf(to: string): string {
  if (to.trim() === '') return ''
  const digits = to.replaceAll(/\D+/g, '')
  if (digits.length < 7 || digits.length > 15) throw new NodeError(`Invalid WhatsApp phone number: ${to}`)
  return digits
}

export const OUTBOUND_NODES: readonly NodeDefinition[] = [httpRequest, telegramAlert, whatsappAlert]
