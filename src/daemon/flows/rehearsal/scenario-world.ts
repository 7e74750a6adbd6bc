import { type FlowPorts, NodeError, type RunOutcome } from '../../../core/flows/index.js'
import type { FlowRehearsal } from '../open.js'

/** The answer to HTTP requests whose address begins with `url`. */
interface ScriptedResponse {
  url: string
  status?: number | undefined
  body: unknown
}

/**
 * The outside world of a rehearsal: HTTP requests get the answers of the case, and messages are only
 * recorded.
 */
export class ScenarioWorld implements FlowRehearsal {
  readonly alerts: string[] = []
  readonly requests: { method: string; url: string }[] = []
  readonly outcomes: RunOutcome[] = []
  /** The ids of the orders that the flow has placed or changed. */
  readonly orders = new Set<string>()

  constructor(private readonly answers: readonly ScriptedResponse[]) {}

  onRun(outcome: RunOutcome): void {
    this.outcomes.push(outcome)
  }

  ports(real: FlowPorts): FlowPorts {
    return {
      ...real,
      orders: {
        send: async (call, body, context) => {
          const result = await real.orders.send(call, body, context)
          for (const id of result.orderIds ?? []) this.orders.add(id)
          return result
        },
      },
      http: {
        send: async ({ method, url }) => {
          this.requests.push({ method, url })
          const answer = this.answers.find((one) => url.startsWith(one.url))
          if (!answer) throw new NodeError(`The scenario has no answer to ${method} ${url}`)
          return { statusCode: answer.status ?? 200, data: answer.body ?? null }
        },
      },
      notifier: {
        telegram: async (_userId, text) => void this.alerts.push(text),
        whatsapp: async (_userId, text) => void this.alerts.push(text),
      },
    }
  }
}
