import { isObject, textMember } from '../../client/answers/json.js'

/**
 * The requests of this run that may have changed something. After the first one, no error may suggest a
 * second sending.
 */
export class SentRequests {
  #any = false
  readonly #looks = new Set<string>()

  get any(): boolean {
    return this.#any
  }

  /** Marks the start of a change, or of a daemon in this process: from now on lost output does not end it. */
  begin(): void {
    this.#any = true
  }

  /** Adds the orders and approvals that an answer names. */
  answered(body: object, orderRef: string | undefined): void {
    const order = textMember(body, 'orderid') ?? textMember(body, 'broker_order_id') ?? orderRef
    const approval = textMember(body, 'pending_order_id')
    if (order) this.#looks.add(`svc order status ${order}`)
    else if (approval) this.#looks.add(`svc approval show ${approval}`)
    const results: unknown = Reflect.get(body, 'results')
    if (!Array.isArray(results)) return
    for (const one of results.filter(isObject)) this.answered(one, undefined)
  }

  /** Returns the commands that show the outcome; at most a few. */
  looks(): readonly string[] {
    const all = [...this.#looks]
    return all.length <= MOST_LOOKS ? all : [...all.slice(0, MOST_LOOKS), 'svc order list']
  }
}

const MOST_LOOKS = 5
