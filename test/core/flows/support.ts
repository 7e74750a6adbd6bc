import { Almanac, SEED_HOLIDAYS, SEED_TIMINGS } from '../../../src/core/calendar/index.js'
import { Cancellation } from '../../../src/core/flows/engine/cancellation.js'
import { NodeVisit } from '../../../src/core/flows/engine/node-run.js'
import { builtinAt } from '../../../src/core/flows/language/builtins.js'
import { type NodeDefinition, NodeError, type NodeResult } from '../../../src/core/flows/nodes/definition.js'
import type {
  Body,
  CallResult,
  FlowPorts,
  HttpRequest,
  HttpResponse,
  OrderContext,
  PartResult,
  ReadCall,
  StreamedTick,
} from '../../../src/core/flows/ports.js'
import type { OrderCall } from '../../../src/core/orders/index.js'
import { VirtualClock } from '../../../src/core/time/index.js'

/** A Friday, 11:00 IST. */
export const FRIDAY_11 = '2026-11-20T11:00:00+05:30'

/** The response of a call. A body with `status: error` is a refusal, with `code` 500 unless it has its own. */
export type Answers<C extends string> = Partial<Record<C, Body | ((body: Body) => Body)>>

export interface PortsOptions {
  clock?: VirtualClock
  /** Response bodies by call. Those without `status` succeed; those with `status: error` are refusals. */
  orders?: Answers<OrderCall>
  reads?: Answers<ReadCall>
  tick?: StreamedTick | undefined
  http?: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>
  /** Lot sizes by `NFO:NIFTY`, or by `NFO:NIFTY:28OCT25` for one expiry. */
  lots?: Readonly<Record<string, number>>
  /** Exchanges whose contracts count as loaded, besides those of `lots`. */
  loaded?: readonly string[]
  telegram?: (text: string) => void
  whatsapp?: (text: string, to: string) => void
}

export interface SentOrder {
  call: OrderCall
  body: Body
  context: OrderContext
}

/** Ports that record all calls and return the responses of the test. */
export interface RecordingPorts extends FlowPorts {
  clock: VirtualClock
  sent: SentOrder[]
  asked: { call: ReadCall; body: Body }[]
  requests: HttpRequest[]
  messages: { channel: string; text: string; to?: string }[]
}

export function recordingPorts(options: PortsOptions = {}): RecordingPorts {
  const clock = options.clock ?? new VirtualClock(FRIDAY_11)
  const sent: SentOrder[] = []
  const asked: RecordingPorts['asked'] = []
  const requests: HttpRequest[] = []
  const messages: RecordingPorts['messages'] = []
  return {
    clock,
    sent,
    asked,
    requests,
    messages,
    calendar: calendarOf(clock),
    orders: {
      send: async (call, body, context) => {
        await context.first?.store()
        sent.push({ call, body, context })
        return answerOf(options.orders, call, body, { orderid: `O${sent.length}` })
      },
    },
    reads: {
      ask: async (call, body) => {
        asked.push({ call, body })
        return answerOf(options.reads, call, body, undefined)
      },
    },
    stream: { next: async () => options.tick },
    http: {
      send: async (request) => {
        requests.push(request)
        if (!options.http) throw new NodeError('no network in this test')
        return options.http(request)
      },
    },
    notifier: {
      telegram: async (_userId, text) => {
        options.telegram?.(text)
        messages.push({ channel: 'telegram', text })
      },
      whatsapp: async (_userId, text, to) => {
        options.whatsapp?.(text, to)
        messages.push({ channel: 'whatsapp', text, to })
      },
    },
    lots: {
      lotSize: (underlying, exchange, expiry) =>
        options.lots?.[`${exchange}:${underlying}:${expiry}`] ?? options.lots?.[`${exchange}:${underlying}`],
      isLoaded: (exchange) =>
        (options.loaded ?? []).includes(exchange) ||
        Object.keys(options.lots ?? {}).some((key) => key.startsWith(`${exchange}:`)),
    },
  }
}

function answerOf<C extends string>(
  answers: Answers<C> | undefined,
  call: C,
  body: Body,
  fallback: Body | undefined,
): CallResult {
  const given = answers?.[call] ?? fallback
  const answer: Body | undefined = typeof given === 'function' ? given(body) : given
  if (answer === undefined) throw new Error(`the test gives no answer for ${call}`)
  const { code = 500, ...rest } = answer
  if (answer.status !== 'error') return resultOf({ status: 'success', ...rest })
  const message = String(answer.message)
  const output = { ...rest, message, error: message, code }
  return { ok: false, code: 'internal', message, output }
}

/** Returns the result of a call that succeeded. */
function resultOf(output: Body): CallResult {
  const parts = Array.isArray(output.results) ? output.results.map(partOf) : undefined
  return { ok: true, code: 'ok', message: '', ...(parts && { parts }), output }
}

function partOf({ message, status }: Body): PartResult {
  return { ok: status === 'success', ...(typeof message === 'string' && { message }) }
}

function calendarOf(clock: VirtualClock): FlowPorts['calendar'] {
  const almanac = new Almanac(
    SEED_HOLIDAYS.map((holiday, id) => ({ ...holiday, id })),
    SEED_TIMINGS,
  )
  const year = () => new Date(clock.now()).getUTCFullYear()
  return {
    isOpen: (exchange, at = clock.now()) => almanac.isOpen(exchange, at),
    nextOpen: (exchange, at = clock.now()) => almanac.nextOpen(exchange, at),
    sessionOf: (exchange, date) => almanac.sessionOf(exchange, date),
    isTradingDay: (exchange, date) => almanac.isTradingDay(exchange, date),
    isHoliday: (date, exchange) => almanac.isHoliday(date, exchange),
    windowsOn: (date) => almanac.windowsOn(date),
    holidaysOf: (of = year()) => almanac.holidays.filter(({ date }) => date.startsWith(`${of}-`)),
  }
}

export interface NodeOutcome {
  result: NodeResult | undefined
  /** Set if the node threw a NodeError; nothing is stored then. */
  failure?: string
  logs: { level: string; message: string }[]
  variables: Map<string, unknown>
  ports: RecordingPorts
}

/** Runs a single node. A NodeError becomes its result, as in the engine. */
export async function runNode(
  definition: NodeDefinition,
  data: Body,
  options: PortsOptions & {
    variables?: Readonly<Body>
    cancellation?: Cancellation
    secrets?: Readonly<Record<string, string>>
    ports?: RecordingPorts
    inputs?: readonly boolean[]
  } = {},
): Promise<NodeOutcome> {
  const ports = options.ports ?? recordingPorts(options)
  const variables = new Map(Object.entries(options.variables ?? {}))
  const logs: NodeOutcome['logs'] = []
  const visit = new NodeVisit(
    {
      workflowName: 'Test flow',
      userId: 'asha',
      ports,
      cancellation: options.cancellation ?? new Cancellation(),
      variables,
      setVariable: (name, value) => variables.set(name, value),
      scope: {
        builtin: (name) => builtinAt(name, ports.clock.now()),
        variables,
        secret: (_kind, name) => options.secrets?.[name],
      },
      log: (message, level = 'info') => logs.push({ level, message }),
      begin: undefined,
      onlyMode: undefined,
    },
    definition,
    data,
    'flow:1:node:1',
    options.inputs,
  )
  try {
    return { result: await definition.run(visit), logs, variables, ports }
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    const result: NodeResult = { ...error.extra, status: 'error', message: error.message }
    return { result, failure: error.message, logs, variables, ports }
  }
}
