import { ServiceError } from '../../../core/errors/index.js'
import { parseWith } from '../../../core/validation/index.js'
import { noteAct } from '../../audit/note.js'
import { readJsonOrForm } from '../../http/body/body.js'
import { isLocalCall } from '../../http/client.js'
import { refuseCrossSite } from '../../http/door/cross-site.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { setupPayload } from '../../operations/access/payloads.js'
import { SETUP_TOKEN_FILE, type SetupToken } from '../../process/setup-token.js'
import type { SignInParts } from './sign-in.js'

interface SetupParts extends Pick<SignInParts, 'identity'> {
  setupToken: SetupToken | undefined
}

/** Returns the handlers of the first-run set-up, which creates the one account and shows its API key once. */
export function setupHandlers(parts: SetupParts) {
  const { setupToken } = parts
  return {
    'POST /setup': httpHandler(async (c) => {
      refuseCrossSite(c)
      if (!isLocalCall(c) && !setupToken?.matches(c.req.header('x-setup-token') ?? '')) {
        throw new ServiceError(
          'forbidden',
          `Setup from another machine needs the header X-Setup-Token with the text of the file ${SETUP_TOKEN_FILE} in the home of the service.`,
        )
      }
      const { confirm_password: _, ...account } = parseWith(setupPayload, await readJsonOrForm(c))
      const { username, apiKey } = await parts.identity.users.setup(account)
      setupToken?.spend()
      noteAct(c, { username })
      const message = 'Setup complete. Keep the API key: it is shown only now.'
      return c.json({ status: 'success', message, username, apikey: apiKey }, 201)
    }),
  } satisfies Partial<Handlers>
}
