import { ServiceError } from '../../errors/index.js'
import type { Database } from '../../storage/index.js'
import type { Clock } from '../../time/index.js'
import type { Channel, MessageEvent } from '../schema.js'
import { type Contact, type ContactChanges, ContactStore } from './store.js'

/** The preferences that a user may change, and the person behind an address. */
export type { Contact, ContactChanges }

const DAY_MS = 24 * 3_600_000
/** The longest period of the statistics of commands. */
const COMMANDS_KEPT_DAYS = 365

interface Person {
  firstName?: string | undefined
  lastName?: string | undefined
  handle?: string | undefined
}

/**
 * Where users get messages. The contacts are few, so all are in memory; a change is on disk before it counts.
 * Only listed chats exist for the bot: linked by a code, or listed in TELEGRAM_CHATS.
 */
export class Contacts {
  readonly #store: ContactStore
  readonly #clock: Clock
  #contacts: readonly Contact[] = []

  private constructor(store: ContactStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  /** @param chats the Telegram chat of each user in the configuration */
  static async open(db: Database, clock: Clock, chats: Readonly<Record<string, string>>): Promise<Contacts> {
    const contacts = new Contacts(new ContactStore(db), clock)
    await contacts.#load()
    await contacts.#follow(chats)
    return contacts
  }

  all(): readonly Contact[] {
    return this.#contacts
  }

  find(userId: string, channel: Channel): Contact | undefined {
    return this.#contacts.find((one) => one.userId === userId && one.channel === channel)
  }

  at(channel: Channel, address: string): Contact | undefined {
    return this.#contacts.find((one) => one.channel === channel && one.address === address)
  }

  /** Returns the contact of a user if it wants messages about the event. */
  wanting(userId: string, channel: Channel, event: MessageEvent): Contact | undefined {
    const contact = this.find(userId, channel)
    return contact?.enabled && contact[event] ? contact : undefined
  }

  /**
   * Links an address to a user, in place of the user's earlier address on the channel. The preferences of the
   * same user and channel stay. @throws ServiceError `conflict` if another user has the address
   */
  async link(
    { address, channel, userId }: { userId: string; channel: Channel; address: string },
    person: Person = {},
    origin: Contact['origin'] = 'user',
  ): Promise<Contact> {
    const taken = this.at(channel, address)
    if (taken && taken.userId !== userId) {
      throw new ServiceError('conflict', 'Another user is linked to this address.')
    }
    const earlier = this.find(userId, channel)
    const { id: _id, ...kept } = earlier ?? { id: 0 }
    const contact = await this.#store.replace(earlier ? [earlier.id] : [], {
      ...kept,
      userId,
      channel,
      address,
      origin,
      createdAt: this.#clock.now(),
      firstName: person.firstName ?? null,
      lastName: person.lastName ?? null,
      handle: person.handle ?? null,
    })
    await this.#load()
    return contact
  }

  async unlink(contact: Contact): Promise<void> {
    await this.#store.remove(contact.id)
    await this.#load()
  }

  async change(contact: Contact, changes: ContactChanges): Promise<void> {
    if (Object.values(changes).every((value) => value === undefined)) return
    await this.#store.update(contact.id, changes)
    await this.#load()
  }

  /** Records a command of a contact. */
  async noteCommand(contact: Contact, command: string): Promise<void> {
    const at = this.#clock.now()
    const { channel, userId } = contact
    const before = at - COMMANDS_KEPT_DAYS * DAY_MS
    await this.#store.noteCommand({ at, channel, userId, command }, before)
    await this.change(contact, { lastCommandAt: at })
  }

  /** Returns the number of commands of the last days, by user and command. */
  commandsOf(days: number): Promise<{ userId: string; command: string; count: number }[]> {
    return this.#store.commandsSince(this.#clock.ago(days * DAY_MS))
  }

  async #load(): Promise<void> {
    this.#contacts = await this.#store.load()
  }

  /** Makes the contacts of the configuration those that it lists now. */
  async #follow(chats: Readonly<Record<string, string>>): Promise<void> {
    for (const contact of this.#contacts) {
      if (contact.origin === 'config' && chats[contact.userId] !== contact.address) await this.unlink(contact)
    }
    for (const [userId, address] of Object.entries(chats)) {
      const taken = this.at('telegram', address)
      // A chat that the user linked later is not replaced by the configuration.
      if (!taken && !this.find(userId, 'telegram')) {
        await this.link({ userId, channel: 'telegram', address }, {}, 'config')
      }
    }
  }
}
