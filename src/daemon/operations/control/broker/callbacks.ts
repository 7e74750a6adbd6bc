import type { Context } from 'hono'
import { z } from 'zod'
import { fields, parseWith } from '../../../../core/validation/index.js'
import { noteAct } from '../../../audit/note.js'
import { completeSignIn } from '../../../broker/instrument-loading.js'
import type { RunningService } from '../../../daemon.js'
import { readText } from '../../../http/body/body.js'
import type { AppEnv } from '../../../process/env.js'
import { message, ok, text } from '../../common/answers.js'
import { http, open } from '../../running.js'
import { brokerRefusals } from '../control-facts.js'
import { sessionValues } from './sign-in.js'

const anyone = open('Control')

/** Far more than the fields of an order need. */
const MAX_POSTBACK_BYTES = 65_536

/** Each broker has further fields of its own, of which its plugin takes those that it names. */
const callbackQuery = z.object({ state: fields.text(1024).optional() }).catchall(z.string().max(4096))
const signedIn = ok({ message, broker: text })
const broker = { broker: 'The id of the broker.' }

/** What brokers, and browsers that come from them, call. They have no session: a signed state or a checksum proves them. */
export const BROKER_CALLBACK_OPERATIONS = {
  'GET /:broker/callback': anyone(
    'Completes a sign-in at the log-in page of a broker; a browser gets a page.',
    {
      limit: 'thirtyAMinute',
      params: broker,
      query: callbackQuery,
      answer: signedIn,
      answerText: 'text/html',
      errors: [
        'validation',
        'refused',
        'forbidden',
        'not_found',
        'conflict',
        'rate_limited',
        ...brokerRefusals,
      ],
      audit: { act: 'broker.sign_in', values: sessionValues },
      run: http('its own refusals', callback),
    },
  ),
  'POST /:broker/postback': anyone('Takes an order update that a broker posts, with its checksum.', {
    limit: 'api',
    params: broker,
    bodyText: 'application/json',
    answer: ok({}),
    errors: ['forbidden', 'too_large', 'rate_limited'],
    audit: { unrecorded: 'The order keeps its own history.' },
    run: http('its own refusals', async ({ brokers }, c) => {
      brokers.takePostback(c.req.param('broker') ?? '', await readText(c, MAX_POSTBACK_BYTES))
      return c.json({ status: 'success' })
    }),
  }),
}

/** The address holds the token of the broker: it must not reach another site, and no cache keeps it. */
async function callback(service: RunningService, c: Context<AppEnv>): Promise<Response> {
  c.header('Referrer-Policy', 'no-referrer')
  c.header('Cache-Control', 'no-store')
  parseWith(callbackQuery, c.req.query())
  const id = c.req.param('broker') ?? ''
  const username = await completeSignIn(service, id, c.req.query())
  noteAct(c, { username, target: id })
  const { displayName } = service.brokers.manifest()
  return c.json({
    status: 'success',
    message: `Signed in to ${displayName}. Close this page.`,
    broker: displayName,
  })
}
