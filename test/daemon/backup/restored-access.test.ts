import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RESTORED } from '../../../src/core/backup/index.js'
import { restoreOffline } from '../../../src/daemon/backup/offline.js'
import { honourRestore } from '../../../src/daemon/backup/restored.js'
import { USER } from '../../support/desk/desk.js'
import { HttpDesk } from '../../support/desk/http-desk.js'
import { execute } from '../../support/files/files.js'

/* svc restore brings back a backup that may be older than the end of a session, a token or a chat. */

const EMAIL = 'asha@example.org'

/**
 * A home that is restored from a backup, with access that was ended after the backup was made.
 * @param change what happens to the databases that the restore has set aside, before the next start
 */
async function restored(change: (file: string) => unknown = () => undefined) {
  const before = await HttpDesk.open()
  const { clock, home, service } = before.desk
  const { backups, identity, messages } = service
  const session = await before.signIn()
  const link = await identity.passwords.issueLink(EMAIL)
  const kept = await identity.tokens.create(USER, { name: 'kept', scopes: ['read'] })
  const lost = await identity.tokens.create(USER, { name: 'lost', scopes: ['admin'] })
  const chat = await messages.contacts.link({ userId: USER, channel: 'telegram', address: '4711' })
  await messages.contacts.link({ userId: USER, channel: 'email', address: EMAIL })
  const { id } = await backups.make('manual')
  await identity.tokens.revoke(USER, lost.id)
  await messages.contacts.unlink(chat)
  await before.desk.close()
  const { setAside = '' } = await restoreOffline({ home, env: {} }, id, true)
  await change(join(setAside, 'svc.db'))

  const { desk } = await HttpDesk.open({ home, clock })
  const { identity: now } = desk.service
  expect(now.tokens.verify(lost.token), 'the backup has it').toBeDefined()
  expect(now.sessions.verify(session), 'the backup has it').toBeDefined()
  await honourRestore(desk.service, home)
  expect(existsSync(join(home, RESTORED))).toBe(false)
  return {
    session: now.sessions.verify(session)?.username,
    reset: await now.passwords.emailOf(link?.token ?? ''),
    kept: now.tokens.verify(kept.token)?.username,
    lost: now.tokens.verify(lost.token)?.username,
    contacts: desk.service.messages.contacts.all().map(({ channel }) => channel),
  }
}

test('ends all sessions and reset links; what this home had ended since the backup stays ended', async () => {
  expect(await restored()).toEqual({
    session: undefined,
    reset: undefined,
    kept: USER,
    lost: undefined,
    contacts: ['email'],
  })
})

test('leaves tokens and chats as the backup has them if the databases of before cannot be read', async () => {
  const damaged = await restored((file) => writeFileSync(file, 'no database'))
  expect(damaged).toMatchObject({ session: undefined, lost: USER, contacts: ['telegram', 'email'] })
})

test('learns nothing from the databases of another account', async () => {
  const others = await restored((file) => execute(file, 'update users set created_at = created_at + 1'))
  expect(others).toMatchObject({ session: undefined, lost: USER, contacts: ['telegram', 'email'] })
})
