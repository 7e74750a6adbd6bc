import type { FlowGraph } from '../../../../src/core/flows/graph/graph.js'
import type { Body } from '../../../../src/core/flows/ports.js'
import { graphOf } from '../../../core/flows/graphs.js'
import type { DeskOptions } from '../../../support/desk/desk.js'
import { bearer, HttpDesk, type Reply } from '../../../support/desk/http-desk.js'
import { eventually } from '../../../support/eventually.js'
import { settled } from '../../../support/settled.js'

export { broken, graphOf, no, node, note, order, unknown, yes } from '../../../core/flows/graphs.js'

/** Starts by hand; writes one line. */
export const HELLO: FlowGraph = graphOf({ hello: ['log', { message: 'hello' }] }, 't -> hello')
/** Starts when its webhook is called; writes the payload. */
export const HOOK: FlowGraph = graphOf(
  { t: ['webhookTrigger'], got: ['log', { message: 'got {{webhook}}' }] },
  't -> got',
)
/** Waits a minute between two lines. */
export const SLOW: FlowGraph = graphOf(
  {
    before: ['log', { message: 'before' }],
    wait: ['delay', { delayValue: 60, delayUnit: 'seconds' }],
    after: ['log', { message: 'after' }],
  },
  't -> before',
  'before -> wait',
  'wait -> after',
)
/** Buys one share of SBIN and logs the order's number. */
export const BUY: FlowGraph = graphOf(
  {
    buy: ['placeOrder', { symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 1, outputVariable: 'x' }],
    told: ['log', { message: 'bought {{x.orderid}}' }],
  },
  't -> buy',
  'buy -> told',
)

/** The same graph, started by the clock. */
export function scheduled(graph: FlowGraph, start: Body): FlowGraph {
  const nodes = graph.nodes.map((node) => (node.id === 't' ? { ...node, type: 'start', data: start } : node))
  return { ...graph, nodes }
}

/** The workflow routes on a complete service, called by a user who may change workflows. */
export class FlowRig {
  private constructor(
    readonly http: HttpDesk,
    readonly token: string,
  ) {}

  static async open(options: DeskOptions & { analyze?: boolean } = {}): Promise<FlowRig> {
    const http = await HttpDesk.open(options)
    if (options.analyze) {
      await http.desk.service.sandbox.start()
      await http.desk.service.settings.setAnalyzeMode(true)
    }
    return new FlowRig(http, await http.tokenOf('read', 'flows'))
  }

  get desk() {
    return this.http.desk
  }

  get clock() {
    return this.http.desk.clock
  }

  get flows() {
    return this.http.desk.service.flows
  }

  /** Stops the service and starts it again on the same files, with the same clock. */
  async restart(): Promise<FlowRig> {
    await this.desk.settled(this.desk.close())
    const http = await HttpDesk.open({ home: this.desk.home, clock: this.clock })
    return new FlowRig(http, await http.tokenOf('read', 'flows'))
  }

  /** Sends a request below `/flow/api` and advances the clock while the answer waits for it. */
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply> {
    const text = typeof body === 'string' ? { text: body } : { body }
    return settled(
      this.clock,
      this.http.request(method, `/flow/api${path}`, {
        ...text,
        headers: { ...bearer(this.token), ...headers },
      }),
    )
  }

  /** Returns the array in a route's answer. */
  async list(path: string): Promise<Body[]> {
    return JSON.parse((await this.ask('GET', path)).text)
  }

  /** Stores a workflow. @returns its id */
  async create(graph: FlowGraph, name = 'Test flow'): Promise<number> {
    const reply = await this.ask('POST', '/workflows', { name, ...graph })
    if (reply.status !== 201) throw new Error(reply.text)
    return Number(reply.body.id)
  }

  /** Stores and activates a workflow. @returns its id */
  async arm(graph: FlowGraph, name?: string): Promise<number> {
    const id = await this.create(graph, name)
    const reply = await this.ask('POST', `/workflows/${id}/activate`)
    if (reply.status !== 200) throw new Error(reply.text)
    return id
  }

  show(id: number): Promise<Reply> {
    return this.ask('GET', `/workflows/${id}`)
  }

  execute(id: number): Promise<Reply> {
    return this.ask('POST', `/workflows/${id}/execute`)
  }

  /** Returns the runs of a workflow, newest first. */
  runs(id: number): Promise<Body[]> {
    return this.list(`/workflows/${id}/executions`)
  }

  /** Returns the log messages of an answer or a run. */
  lines({ logs }: Body): string[] {
    return Array.isArray(logs) ? logs.map(({ message }) => String(message)) : []
  }

  /** Waits until a workflow has a stored run in progress. */
  begun(id: number): Promise<void> {
    return eventually(async () => (await this.runs(id))[0]?.status === 'running')
  }

  /** Advances the clock, with real pauses in which files and databases may answer. */
  async pass(ms: number, stepMs = Math.min(ms, 1000)): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      await this.clock.advance(Math.min(stepMs, ms - passed))
      await settled(this.clock, this.desk.service.bus.idle())
    }
  }

  /** Advances the clock to an instant in IST, such as `2026-11-21T10:15`. */
  passTo(instant: string, stepMs?: number): Promise<void> {
    return this.pass(Date.parse(`${instant}+05:30`) - this.clock.now(), stepMs)
  }

  /** Waits until a workflow has this many ended runs; fails at the time limit. */
  async ran(id: number, count: number): Promise<Body[]> {
    const ended = async () => (await this.runs(id)).filter(({ status }) => status !== 'running')
    await eventually(async () => (await ended()).length >= count)
    return ended()
  }
}

/** Lines of NDJSON. */
export function linesOf({ text }: Pick<Reply, 'text'>): Body[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}
