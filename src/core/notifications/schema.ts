/** The ways to reach a user. */
export const CHANNELS = ['telegram', 'whatsapp', 'email'] as const
export type Channel = (typeof CHANNELS)[number]

/** The kinds of messages that a user can switch on or off for each channel. */
export const EVENTS = {
  orders: 'Orders that were placed, changed, cancelled or closed.',
  failures: 'Orders and changes that failed or were refused.',
  trades: 'Orders that were filled, and orders that the broker rejected later.',
  approvals: 'Orders that wait for approval.',
  system: 'The session at the broker, the kill switch, the trading mode, and orders in doubt.',
} as const
export type MessageEvent = keyof typeof EVENTS

/** Messages that somebody sends on purpose. Only `enabled` of the contact holds them back. */
type DirectEvent = 'notify' | 'broadcast' | 'flow' | 'reply' | 'summary' | 'test'

/** A message for one address, before it is queued. */
export interface NewMessage {
  channel: Channel
  address: string
  userId: string
  event: MessageEvent | DirectEvent
  body: string
  /** The subject of a mail. */
  subject?: string | undefined
  /** `markdown` is for text of the service's own, and goes as plain text if Telegram cannot parse it. */
  format?: 'plain' | 'markdown'
  /** The event behind the message: a second message with the same key to the same address is dropped. */
  key?: string | undefined
  /** 1 to 10; a higher one goes first. */
  priority?: number | undefined
  /** The queued order that the buttons of the message are about. */
  pendingOrderId?: number | undefined
  attachment?: Attachment | undefined
}

/** A file of this machine that goes with a message. */
export interface Attachment {
  path: string
  kind: 'image' | 'document'
  name?: string | undefined
}

/** A message of the queue. */
export interface Message {
  id: number
  key: string
  channel: Channel
  address: string
  userId: string
  event: string
  subject: string | null
  body: string
  format: 'plain' | 'markdown'
  pendingOrderId: number | null
  attachment: string | null
  attachmentKind: 'image' | 'document' | null
  attachmentName: string | null
  priority: number
  state: MessageState
  attempts: number
  nextAttemptAt: number
  createdAt: number
  endedAt: number | null
  error: string | null
  providerId: string | null
}

export const MESSAGE_STATES = ['waiting', 'sent', 'dead'] as const
/** A dead message is not tried again unless somebody asks for it. */
export type MessageState = (typeof MESSAGE_STATES)[number]

/** The default of a priority, and that of alerts about failures and approvals. */
export const PRIORITY = { usual: 5, urgent: 8 } as const

/** The longest text of Telegram and of WhatsApp. */
export const MAX_TEXT = 4096

/** A message that a channel did not take. The text never contains a secret. */
export class SendFailure extends Error {
  constructor(
    message: string,
    readonly facts: {
      /** True if a repeat cannot succeed. */
      isFinal: boolean
      /** The wait that the channel asked for. */
      retryAfterMs?: number | undefined
    },
  ) {
    super(message)
    this.name = 'SendFailure'
  }
}

/** Sends one message over its channel. */
export interface Sender {
  readonly channel: Channel
  /** Returns whether messages can be sent now: configured, and not stopped. */
  isReady(): boolean
  /** Resolves with the id that the channel gave the message. @throws SendFailure */
  send(message: Message, signal: AbortSignal): Promise<string | undefined>
}

/** The chat from which somebody acts. */
export interface ChatActor {
  channel: Channel
  /** The user of the service. */
  username: string
  /** The id of the person at the channel. */
  address: string
}

/** Returns the name under which an act from a chat is recorded. */
export function actorName({ address, channel, username }: ChatActor): string {
  return `${username} (${channel} ${address})`
}

/** An act from a chat that changes something. */
export interface ChatAct {
  actor: ChatActor
  act: 'approve' | 'reject' | 'kill_switch' | 'mode' | 'close_positions' | 'link' | 'unlink'
  /** The queued order or the chat; null for an act that has no object. */
  target: string | null
}

/** The end of an act from a chat. */
export interface ChatActEnd {
  /** The answer to the chat. */
  text: string
  /** True if the broker did not answer: the order may exist. */
  isUnknown?: boolean
}
