import { z } from 'zod'

/** The members of an update that the bot reads. Telegram adds others at any time. */
const person = z.object({
  id: z.number().int(),
  is_bot: z.boolean().optional(),
  first_name: z.string().max(255).optional(),
  last_name: z.string().max(255).optional(),
  username: z.string().max(255).optional(),
})
const chat = z.object({ id: z.number().int(), type: z.string() })

const update = z.object({
  update_id: z.number().int().nonnegative(),
  message: z
    .object({
      chat,
      from: person.optional(),
      text: z.string().optional(),
      forward_origin: z.unknown().optional(),
    })
    .optional(),
  callback_query: z
    .object({
      id: z.string().max(100),
      from: person,
      data: z.string().max(64).optional(),
      message: z.object({ message_id: z.number().int(), chat }).optional(),
    })
    .optional(),
})

export interface Person {
  /** The id of the person, which is also that of the private chat with the bot. */
  id: string
  firstName?: string | undefined
  lastName?: string | undefined
  handle?: string | undefined
}

/** A text or pressed button that a person sent to the bot, in a private chat. */
export type ChatInput =
  | { kind: 'text'; from: Person; text: string }
  | { kind: 'press'; from: Person; callbackId: string; messageId: number; data: string }

export interface Update {
  id: number
  /** Undefined for an update that the bot ignores: of a group, a channel, another bot, or of another kind. */
  input: ChatInput | undefined
}

/** Reads an update; undefined if it is none. */
export function updateOf(given: unknown): Update | undefined {
  const read = update.safeParse(given)
  if (read.success) return { id: read.data.update_id, input: inputOf(read.data) }
  const id = z.object({ update_id: z.number().int().nonnegative() }).safeParse(given)
  return id.success ? { id: id.data.update_id, input: undefined } : undefined
}

function inputOf({ callback_query: press, message }: z.output<typeof update>): ChatInput | undefined {
  if (message?.from && message.text !== undefined && isPrivate(message.chat, message.from)) {
    // A forwarded text is somebody else's.
    if (message.forward_origin !== undefined) return undefined
    return { kind: 'text', from: personOf(message.from), text: message.text }
  }
  if (press?.message && press.data !== undefined && isPrivate(press.message.chat, press.from)) {
    const { message_id: messageId } = press.message
    return { kind: 'press', from: personOf(press.from), callbackId: press.id, messageId, data: press.data }
  }
  return undefined
}

/** In a group, anybody could act for the linked user. */
function isPrivate({ id, type }: z.output<typeof chat>, from: z.output<typeof person>): boolean {
  return type === 'private' && id === from.id && from.is_bot !== true
}

function personOf(from: z.output<typeof person>): Person {
  return { id: String(from.id), firstName: from.first_name, lastName: from.last_name, handle: from.username }
}
