import type { Context } from 'hono'
import { ServiceError } from '../../../core/errors/index.js'
import { safeEqual } from '../../../core/secrets/index.js'
import { readText } from '../../http/body/body.js'
import { parseJson } from '../../http/body/bounded-json.js'
import type { AppEnv } from '../../process/env.js'
import { http, open } from '../running.js'

const MAX_BODY_BYTES = 262_144

const hook = open('Messages')

/** The webhook that Telegram calls. */
export const TELEGRAM_WEBHOOK = {
  'POST /api/v1/telegram/webhook': hook('Takes an update of Telegram; its secret header is the credential.', {
    answerText: 'text/plain',
    errors: ['unauthenticated', 'forbidden', 'validation', 'too_large'],
    audit: { unrecorded: 'An act from a chat is recorded with the chat as its credential.' },
    run: http('its own refusals', async ({ messages: { telegram } }, c) => {
      const check = telegram.checkSecret(c.req.header('x-telegram-bot-api-secret-token'))
      if (check === 'missing') throw new ServiceError('unauthenticated', 'The secret header is missing.')
      if (check === 'wrong') throw new ServiceError('forbidden', 'The secret header is wrong.')
      if (!(await telegram.accept(await bodyOf(c)))) throw notUnderstood()
      return c.text('')
    }),
  }),
}

/** The webhooks that WhatsApp calls. */
export const WHATSAPP_WEBHOOK = {
  'GET /whatsapp/webhook': hook('Confirms the webhook to WhatsApp, with the verify token.', {
    answerText: 'text/plain',
    errors: ['forbidden'],
    run: http('its own refusals', ({ messages: { settings } }, c) => {
      const token = settings.secret('whatsappVerifyToken')
      const { 'hub.challenge': challenge, 'hub.mode': mode, 'hub.verify_token': given } = c.req.query()
      const isRight = token !== undefined && given !== undefined && safeEqual(given, token)
      if (mode !== 'subscribe' || !isRight) throw new ServiceError('forbidden', 'The verify token is wrong.')
      return c.text((challenge ?? '').slice(0, 1000))
    }),
  }),
  'POST /whatsapp/webhook': hook('Takes a notification of WhatsApp; its signature is the credential.', {
    answerText: 'text/plain',
    errors: ['unauthenticated', 'forbidden', 'validation', 'too_large'],
    audit: { unrecorded: 'An act from a chat is recorded with the chat as its credential.' },
    run: http('its own refusals', async ({ messages }, c) => {
      const signature = c.req.header('x-hub-signature-256')
      if (signature === undefined) throw new ServiceError('unauthenticated', 'The signature is missing.')
      const text = await readText(c, MAX_BODY_BYTES)
      if (!messages.isSignedByWhatsApp(text, signature))
        throw new ServiceError('forbidden', 'The signature is wrong.')
      if (!(await messages.acceptWhatsApp(jsonOf(text)))) throw notUnderstood()
      return c.text('')
    }),
  }),
}

const notUnderstood = () => new ServiceError('validation', 'The body is no update of this service.')

async function bodyOf(c: Context<AppEnv>): Promise<unknown> {
  return jsonOf(await readText(c, MAX_BODY_BYTES))
}

/** Returns undefined for a text that is not JSON; no schema accepts it. */
function jsonOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
