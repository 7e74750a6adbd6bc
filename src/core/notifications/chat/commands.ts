import type { ApprovalOutcome } from '../../approvals/index.js'
import { publicMessageOf, ServiceError } from '../../errors/index.js'
import type { Logger } from '../../logging/index.js'
import type { Clock } from '../../time/index.js'
import type { Contact, Contacts } from '../contacts/contacts.js'
import { Pace } from '../queue/pace.js'
import { actorName, type ChatAct, type ChatActEnd, type ChatActor } from '../schema.js'
import { type Ask, type ChatButton, confirmButtons } from './buttons.js'
import { type AskedAct, CONFIRM_MS, Confirmations, type PendingAct } from './confirmations.js'
import type { ChatPlan, ChatPorts } from './ports.js'
import {
  closeQuestion,
  fundsText,
  holdingsText,
  listText,
  ordersText,
  pendingLine,
  planText,
  pnlText,
  positionsText,
  quoteText,
  tradesText,
} from './views.js'

/** The number of commands and presses of one chat in a minute. */
const PER_MINUTE = 30

/** An answer to a chat. */
export interface ChatReply {
  text: string
  buttons?: readonly (readonly ChatButton[])[]
  /** The confirmation that the buttons answer; it is bound to the message that shows them. */
  confirmation?: string
}

interface ChatCommandsParts {
  ports: ChatPorts
  contacts: Contacts
  clock: Clock
  log: Logger
}

interface Command {
  summary: string
  run(chat: ChatCommands, contact: Contact, words: readonly string[]): ChatReply | Promise<ChatReply>
}

/** The commands of a linked chat. `/link` is the only one of a chat that is not linked. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  start: { summary: 'this list', run: (chat) => chat.help() },
  help: { summary: 'this list', run: (chat) => chat.help() },
  menu: { summary: 'buttons for the mode and the kill switch', run: (chat) => chat.menu() },
  status: { summary: 'mode, kill switch, broker, waiting orders', run: (chat, user) => chat.status(user) },
  orderbook: {
    summary: 'orders of today',
    run: async (chat, { userId }) => ({ text: ordersText(await chat.ports.orderbook(userId)) }),
  },
  tradebook: {
    summary: 'trades of today',
    run: async (chat, { userId }) => ({ text: tradesText(await chat.ports.tradebook(userId)) }),
  },
  positions: {
    summary: 'positions',
    run: async (chat, { userId }) => ({ text: positionsText(await chat.ports.positionbook(userId)) }),
  },
  holdings: {
    summary: 'holdings',
    run: async (chat, { userId }) => ({ text: holdingsText(await chat.ports.holdings(userId)) }),
  },
  funds: {
    summary: 'funds',
    run: async (chat, { userId }) => ({ text: fundsText(await chat.ports.funds(userId)) }),
  },
  pnl: {
    summary: 'profit and loss of the positions',
    run: async (chat, { userId }) => ({ text: pnlText(await chat.ports.positionbook(userId)) }),
  },
  quote: { summary: 'SYMBOL [EXCHANGE]: the last price', run: (chat, _user, words) => chat.quote(words) },
  approvals: { summary: 'orders that wait for approval', run: (chat, user) => chat.approvals(user) },
  mode: {
    summary: '[live | analyze]: the mode, or a change of it',
    run: (chat, user, [modeName]) => chat.mode(user, modeName),
  },
  closeall: {
    summary: 'close all open positions',
    run: (chat, user) => chat.ask(user, { ask: 'close', id: 0 }),
  },
  kill: {
    summary: 'turn the kill switch on',
    run: (chat, user) => chat.ask(user, { ask: 'kill', id: 0 }),
  },
  resume: {
    summary: 'turn the kill switch off',
    run: (chat, user) => chat.ask(user, { ask: 'resume', id: 0 }),
  },
  link: {
    summary: 'CODE: link this chat, with a code of svc message link',
    run: (_desk, { userId }) => ({ text: `This chat is linked to ${userId}.` }),
  },
  unlink: { summary: 'end the link of this chat', run: (chat, user) => chat.unlink(user) },
}

/**
 * Answers commands and pressed buttons of linked chats. A button that changes something first asks for a
 * confirmation, which the same person must press on the same message within a minute. It counts once.
 */
export class ChatCommands {
  readonly ports: ChatPorts
  readonly #parts: ChatCommandsParts
  readonly #confirmations: Confirmations
  readonly #pace = new Pace(() => PER_MINUTE)

  constructor(parts: ChatCommandsParts) {
    this.ports = parts.ports
    this.#parts = parts
    this.#confirmations = new Confirmations(parts.clock)
  }

  /** Returns whether the chat may send one more command this minute, and counts it. */
  admits(address: string): boolean {
    const now = this.#parts.clock.monotonic()
    if (this.#pace.freeAt(address, now) > now) return false
    this.#pace.note(address, now)
    return true
  }

  /** Answers a text of a linked chat. Never throws. */
  async reply(contact: Contact, text: string): Promise<ChatReply> {
    const [first = '', ...words] = text.trim().split(/\s+/)
    // Telegram adds the name of the bot: /status@svc_bot.
    const name = first.replace(/^\//, '').replace(/@\w+$/, '').toLowerCase()
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    if (!command) return { text: 'Unknown command. Send /help for the list.' }
    try {
      // The count of commands is worth less than the command.
      await this.#parts.contacts.noteCommand(contact, name).catch(() => undefined)
      return await command.run(this, contact, words)
    } catch (error) {
      return { text: this.#failure(error) }
    }
  }

  help(): ChatReply {
    const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `/${name}: ${summary}`)
    return { text: ['Commands', '', ...lines].join('\n') }
  }

  menu(): ChatReply {
    const button = (text: string, ask: Ask): ChatButton => ({ text, callback_data: `ask:${ask}:0` })
    return {
      text: `Mode: ${this.ports.mode()}. Each button asks for a confirmation first.`,
      buttons: [
        [button('Kill switch on', 'kill'), button('Kill switch off', 'resume')],
        [button('Live mode', 'live'), button('Analyze mode', 'analyze')],
      ],
    }
  }

  async status({ userId }: Contact): Promise<ChatReply> {
    const { on, reason } = this.ports.killSwitch()
    const lines = [
      `User: ${userId}`,
      `Mode: ${this.ports.mode()}`,
      `Order mode: ${this.ports.orderMode(userId) ?? '-'}`,
      `Kill switch: ${on ? `on (${reason})` : 'off'}`,
      `Broker: ${this.ports.broker() ?? 'not connected'}`,
      `Waiting for approval: ${(await this.ports.pending(userId)).length}`,
    ]
    return { text: lines.join('\n') }
  }

  async quote([symbol, exchange = 'NSE']: readonly string[]): Promise<ChatReply> {
    if (symbol === undefined) return { text: 'Send /quote SYMBOL [EXCHANGE], such as /quote SBIN NSE.' }
    const ref = [symbol.toUpperCase().slice(0, 100), exchange.toUpperCase().slice(0, 20)] as const
    return { text: quoteText(...ref, await this.ports.quote(...ref)) }
  }

  async approvals({ userId }: Contact): Promise<ChatReply> {
    const orders = await this.ports.pending(userId)
    return {
      text: listText('Waiting for approval', orders.map(pendingLine), 'No order waits for approval.'),
      buttons: orders.slice(0, 10).map(({ id }) => [
        { text: `Approve #${id}`, callback_data: `ask:approve:${id}` },
        { text: `Reject #${id}`, callback_data: `ask:reject:${id}` },
      ]),
    }
  }

  mode(contact: Contact, modeName: string | undefined): ChatReply | Promise<ChatReply> {
    if (modeName === undefined)
      return { text: `Mode: ${this.ports.mode()}. Send /mode live or /mode analyze to change it.` }
    const ask = (['live', 'analyze'] as const).find((mode) => mode === modeName.toLowerCase())
    if (!ask) return { text: 'The mode is live or analyze.' }
    return this.ask(contact, { ask, id: 0 })
  }

  async unlink(contact: Contact): Promise<ChatReply> {
    const act = { actor: actorOf(contact), act: 'unlink', target: contact.address } as const
    return this.ports.record(act, async () => {
      await this.#parts.contacts.unlink(contact)
      return { text: `This chat is no longer linked to ${contact.userId}.` }
    })
  }

  /** Asks for the confirmation of an act. Never throws. */
  async ask(contact: Contact, act: AskedAct): Promise<ChatReply> {
    if (contact.channel !== 'telegram')
      return { text: 'This needs a confirmation. Use Telegram or a session.' }
    try {
      // The mode that the question names: it may change while the question is written.
      const pending = { ...act, mode: this.ports.mode() }
      const plan = act.ask === 'approve' ? await this.ports.plan(contact.userId, act.id) : undefined
      const question = await this.#question(contact, pending, plan)
      const confirmation = this.#confirmations.open(
        { ...pending, broker: plan?.broker, legs: plan?.legs },
        actorOf(contact),
      )
      return {
        text: `${question}\n\nConfirm within ${CONFIRM_MS / 1000} seconds.`,
        buttons: confirmButtons(confirmation, YES[act.ask]),
        confirmation,
      }
    } catch (error) {
      return { text: this.#failure(error) }
    }
  }

  /** Binds a confirmation to the message that shows its buttons. */
  bind(confirmation: string, messageId: number): void {
    this.#confirmations.bind(confirmation, messageId)
  }

  /** Carries out a confirmed act, or drops it. Never throws. @returns the text that replaces the question */
  async answer(contact: Contact, token: string, messageId: number, isYes: boolean): Promise<string> {
    const act = this.#confirmations.take(token, actorOf(contact), messageId)
    if (!act) return 'This confirmation has been used or is too old. Nothing was done.'
    if (!isYes) return 'Cancelled. Nothing was done.'
    const target = act.id === 0 ? null : String(act.id)
    try {
      const record = { actor: actorOf(contact), act: ACTS[act.ask], target }
      return (await this.ports.record(record, () => this.#carryOut(contact, act))).text
    } catch (error) {
      return this.#failure(error)
    }
  }

  async #question(
    { userId }: Contact,
    { ask, id, mode }: PendingAct,
    plan: ChatPlan | undefined,
  ): Promise<string> {
    switch (ask) {
      case 'approve':
      case 'reject': {
        const order = await this.ports.pendingOrder(userId, id)
        if (order.status !== 'pending') {
          throw new ServiceError('not_pending', `Order #${id} is no longer pending: it is ${order.status}.`)
        }
        const place = mode === 'live' && plan !== undefined ? ` at ${plan.broker}` : ''
        const verb = ask === 'approve' ? `Approve, and execute now in ${mode} mode${place}` : 'Reject'
        const sent = plan === undefined ? '' : `\n\n${planText(plan)}`
        return `${verb}?\n${pendingLine(order)}\nQueued ${order.created_at_ist}${sent}`
      }
      case 'kill':
        return 'Turn the kill switch on? No new order is sent then. Cancels and closes still work.'
      case 'resume':
        return `Turn the kill switch off? Orders are sent again, in ${mode} mode.`
      case 'live':
        return 'Switch to live mode? Orders go to the broker then.'
      case 'analyze':
        return 'Switch to analyze mode? Orders are simulated then.'
      case 'close':
        return closeQuestion(await this.ports.positionbook(userId), mode)
    }
  }

  async #carryOut(contact: Contact, act: PendingAct): Promise<ChatActEnd> {
    const actor = actorOf(contact)
    const by = actorName(actor)
    switch (act.ask) {
      case 'approve': {
        const { broker, legs, mode } = act
        const expected = { mode, broker, legs }
        const result = await this.ports.approve(contact.userId, act.id, by, () => this.#vetoOf(act), expected)
        return { text: outcomeText(act.id, result), isUnknown: result.outcome === 'unknown' }
      }
      case 'reject':
        await this.ports.reject(contact.userId, act.id, by, `Rejected by ${actor.channel}`)
        return { text: `Order #${act.id} is rejected.` }
      case 'kill':
      case 'resume': {
        const isOn = act.ask === 'kill'
        const changed = isOn ? undefined : this.#vetoOf(act)
        if (changed) throw changed
        const more = await this.ports.setKillSwitch(isOn, `by ${actor.channel}`, by)
        const text = isOn ? 'The kill switch is on: no new order is sent.' : 'The kill switch is off.'
        return { text: `${text}${more}` }
      }
      case 'live':
      case 'analyze':
        await this.ports.setAnalyzeMode(act.ask === 'analyze', by)
        return { text: `The mode is ${act.ask}.` }
      case 'close': {
        const changed = this.#vetoOf(act)
        if (changed) throw changed
        return this.ports.closePositions(contact.userId)
      }
    }
  }

  /** The person confirmed trading in one mode: it must not happen in the other. */
  #vetoOf({ mode }: PendingAct): ServiceError | undefined {
    return mode === this.ports.mode()
      ? undefined
      : new ServiceError('conflict', 'The mode has changed since the question. Ask again.')
  }

  #failure(error: unknown): string {
    if (!(error instanceof ServiceError)) {
      this.#parts.log.error('chat.failed', { error: error instanceof Error ? error.stack : String(error) })
    }
    return publicMessageOf(error)
  }
}

const YES: Readonly<Record<Ask, string>> = {
  approve: 'Yes, approve',
  reject: 'Yes, reject',
  kill: 'Yes, turn it on',
  resume: 'Yes, turn it off',
  live: 'Yes, go live',
  analyze: 'Yes, simulate',
  close: 'Yes, close all',
}

const ACTS: Readonly<Record<Ask, ChatAct['act']>> = {
  approve: 'approve',
  reject: 'reject',
  kill: 'kill_switch',
  resume: 'kill_switch',
  live: 'mode',
  analyze: 'mode',
  close: 'close_positions',
}

function actorOf({ address, channel, userId }: Contact): ChatActor {
  return { channel, username: userId, address }
}

function outcomeText(id: number, result: ApprovalOutcome): string {
  switch (result.outcome) {
    case 'executed':
      return result.executionError === null
        ? `Order #${id} is approved and executed. Broker order id: ${result.brokerOrderId ?? '-'}`
        : `Order #${id} is approved and partly executed: ${result.executionError}`
    case 'failed':
      return `Order #${id} is approved, but its execution failed: ${result.error}`
    case 'unknown':
      return `Order #${id} is approved, but its outcome at the broker is not known yet. Do not send it again.`
  }
}
