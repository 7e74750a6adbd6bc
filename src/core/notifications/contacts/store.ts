import { count, desc, eq, gt, lt } from 'drizzle-orm'
import type { Database, DatabaseCopy } from '../../storage/index.js'
import { messageCommands, messageContacts } from '../../storage/tables/svc/messages.js'
import type { Channel } from '../schema.js'

export type Contact = typeof messageContacts.$inferSelect
export type NewContact = typeof messageContacts.$inferInsert
export type ContactChanges = Partial<
  Omit<Contact, 'id' | 'userId' | 'channel' | 'address' | 'origin' | 'createdAt'>
>

/** Returns the linked chats and addresses of a database, each as its channel and the address. */
export async function linkedAddresses(db: Pick<DatabaseCopy, 'read'>): Promise<Set<string>> {
  const { address, channel } = messageContacts
  const rows = await db.read.select({ channel, address }).from(messageContacts)
  return new Set(rows.map((row) => `${row.channel} ${row.address}`))
}

/** All SQL of the contacts and of the commands that they send. */
export class ContactStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  load(): Promise<Contact[]> {
    return this.#db.read.select().from(messageContacts).orderBy(messageContacts.id)
  }

  /** Adds a contact in place of others, in one transaction. */
  replace(removed: readonly number[], added: NewContact): Promise<Contact> {
    return this.#db.write(async (tx) => {
      for (const id of removed) await tx.delete(messageContacts).where(eq(messageContacts.id, id))
      const [contact] = await tx.insert(messageContacts).values(added).returning()
      if (!contact) throw new Error('the contact was not stored')
      return contact
    })
  }

  update(id: number, changes: ContactChanges): Promise<Contact | undefined> {
    return this.#db.write(async (tx) => {
      const [contact] = await tx
        .update(messageContacts)
        .set(changes)
        .where(eq(messageContacts.id, id))
        .returning()
      return contact
    })
  }

  async remove(id: number): Promise<void> {
    await this.#db.write((tx) => tx.delete(messageContacts).where(eq(messageContacts.id, id)))
  }

  /** Records a command, and deletes those that are older than an instant. */
  async noteCommand(
    command: { at: number; channel: Channel; userId: string; command: string },
    before: number,
  ): Promise<void> {
    await this.#db.write(async (tx) => {
      await tx.insert(messageCommands).values(command)
      await tx.delete(messageCommands).where(lt(messageCommands.at, before))
    })
  }

  /** Returns the number of commands after an instant, by user and command. */
  commandsSince(since: number): Promise<{ userId: string; command: string; count: number }[]> {
    return this.#db.read
      .select({ userId: messageCommands.userId, command: messageCommands.command, count: count() })
      .from(messageCommands)
      .where(gt(messageCommands.at, since))
      .groupBy(messageCommands.userId, messageCommands.command)
      .orderBy(desc(count()))
  }
}
