import { eq } from 'drizzle-orm'
import { randomBase32, type SecretBox } from '../../secrets/index.js'
import type { Tx } from '../../storage/index.js'
import { activeSessions, passwordResets, users } from '../../storage/tables/svc/identity.js'
import { changedSecretError } from '../credentials/api-keys.js'
import { provisioningUri, TOTP_SECRET_CHARACTERS } from './codes.js'

/**
 * Replaces the secret of the account in the database of a stopped home, and removes all its sessions and its permissions to
 * reset the password. No code of the new secret counts as used.
 * @returns the new secret, with the address that an authenticator app reads; undefined without an account. Never log either.
 * @throws ServiceError `internal` when the database was written with another sealing secret
 */
export async function replaceLostSecret(
  tx: Tx,
  box: Pick<SecretBox, 'open' | 'seal'>,
): Promise<{ username: string; secret: string; uri: string } | undefined> {
  const [user] = await tx.select().from(users).limit(1)
  if (!user) return undefined
  const { email, totpSecret, username } = user
  if (box.open(totpSecret) === undefined) throw changedSecretError('APP_KEY or FERNET_SALT')
  const secret = randomBase32(TOTP_SECRET_CHARACTERS)
  await tx
    .update(users)
    .set({ totpSecret: box.seal(secret), totpLastStep: null })
    .where(eq(users.username, username))
  await tx.delete(passwordResets).where(eq(passwordResets.username, username))
  await tx.delete(activeSessions).where(eq(activeSessions.username, username))
  return { username, secret, uri: provisioningUri(secret, email) }
}
