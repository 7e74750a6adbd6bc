import { accountOf, revokedTokens } from '../../core/identity/index.js'
import { linkedAddresses } from '../../core/notifications/index.js'
import { openCopy } from '../../core/storage/index.js'
import type { Service } from '../service.js'

type Parts = Pick<Service, 'databases' | 'identity' | 'messages'>

/** How much access a restore had brought back, and has ended again. */
export interface EndedAgain {
  tokens: number
  contacts: number
}

/**
 * Ends the access that was ended after the backup was made: tokens that the database that the restore has set aside knows as
 * revoked, and chats and addresses that it does not know any more. It gives nothing back, so a database that somebody has
 * altered does no harm. The database of another home says nothing.
 * @throws Error if the database cannot be read, or the end cannot be stored
 */
export async function endAgain(file: string, { databases, identity, messages }: Parts): Promise<EndedAgain> {
  const before = await openCopy(file, 'users')
  try {
    if ((await accountOf(before)) !== (await accountOf(databases.svc))) return { tokens: 0, contacts: 0 }
    const tokens = await identity.tokens.revokeEach(await revokedTokens(before))
    const linked = await linkedAddresses(before)
    // Those of the configuration follow it at each start.
    const gone = messages.contacts
      .all()
      .filter((one) => one.origin === 'user' && !linked.has(`${one.channel} ${one.address}`))
    for (const contact of gone) await messages.contacts.unlink(contact)
    return { tokens, contacts: gone.length }
  } finally {
    await before.close()
  }
}
