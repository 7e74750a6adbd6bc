import { ServiceError } from '../../../core/errors/index.js'
import type { Identity } from '../../../core/identity/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { readJson } from '../../http/body/body.js'
import type { TrustedProxies } from '../../http/client.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { reauthenticationPayload } from '../../operations/access/payloads.js'
import { senderOf } from './signed-in.js'

interface ReauthenticationParts {
  identity: Pick<Identity, 'reauthentication' | 'secondFactor'>
  proxies: TrustedProxies
}

/** Returns the handlers that take the password again in an open session, and say what that needs. */
export function reauthenticationHandlers({ identity, proxies }: ReauthenticationParts) {
  const { reauthentication, secondFactor } = identity
  return {
    'GET /auth/reauthenticate': async (_input, { username }) => ({
      status: 'success',
      code_needed: await secondFactor.requires(username, 'login'),
    }),
    'POST /auth/reauthenticate': httpHandler(async (c) => {
      const { password, totp_code: code } = parseWith(reauthenticationPayload, await readJson(c))
      const session = c.get('session')
      if (!session) throw new ServiceError('forbidden', 'Only a session takes the password again.')
      const until = await reauthentication.prove(session, { password, code, ...senderOf(c, proxies) })
      return c.json({
        status: 'success',
        message: 'The password is right.',
        fresh_until: until === undefined ? null : new Date(until).toISOString(),
      })
    }),
  } satisfies Partial<Handlers>
}
