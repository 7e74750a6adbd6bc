import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { accountRules } from '../../../core/identity/index.js'
import { fields, parseWith } from '../../../core/validation/index.js'
import { noteAct } from '../../audit/note.js'
import { refuseCrossSite } from '../../http/admission/cross-site.js'
import { readJsonOrForm } from '../../http/body/body.js'
import { isLocalCall } from '../../http/client.js'
import { SETUP_TOKEN_FILE } from '../../process/setup-token.js'
import { message, ok, text } from '../common/answers.js'
import { http, open } from '../running.js'

const anyone = open('Access')

const setupPayload = z.strictObject({
  username: fields.text(80),
  email: fields.text(120),
  password: fields.text(1024),
  confirm_password: fields.text(1024).optional(),
})

const rules = z.array(text)
const needsSetup = ok({
  needs_setup: z.boolean(),
  rules: z
    .strictObject({ username: rules, email: rules, password: rules })
    .optional()
    .meta({ description: 'The rules of each field in words, while the account must still be created.' }),
})
const setUp = ok({ message, username: text, apikey: text })

/** The first-run set-up, which creates the one account and shows its API key once. */
export const SETUP_OPERATIONS = {
  'POST /setup': anyone('Creates the account. Works only once.', {
    headers: ['X-Setup-Token'],
    limit: 'login',
    body: setupPayload,
    example: { username: 'asha', email: 'asha@example.org', password: 'correct horse 4' },
    answer: setUp,
    errors: [
      'validation',
      'forbidden',
      'conflict',
      'too_large',
      'unsupported_media',
      'rate_limited',
      'unavailable',
    ],
    status: 201,
    audit: { act: 'account.setup' },
    // The token comes before the body.
    run: http('its own refusals', async ({ daemon: { setupToken }, identity }, c) => {
      refuseCrossSite(c)
      if (!isLocalCall(c) && !setupToken?.matches(c.req.header('x-setup-token') ?? '')) {
        throw new ServiceError(
          'forbidden',
          `Setup from another machine needs the header X-Setup-Token with the text of the file ${SETUP_TOKEN_FILE} in the home of the service.`,
        )
      }
      const { confirm_password: _, ...account } = parseWith(setupPayload, await readJsonOrForm(c))
      const { username, apiKey } = await identity.users.setup(account)
      setupToken?.spend()
      noteAct(c, { username })
      const message = 'Setup complete. Keep the API key: it is shown only now.'
      return c.json({ status: 'success', message, username, apikey: apiKey }, 201)
    }),
  }),
  'GET /auth/check-setup': anyone('Returns whether the account must still be created.', {
    answer: needsSetup,
    errors: ['unavailable'],
    run: ({ identity }) => {
      const { needsSetup } = identity.users
      return { status: 'success', needs_setup: needsSetup, ...(needsSetup && { rules: accountRules() }) }
    },
  }),
}
