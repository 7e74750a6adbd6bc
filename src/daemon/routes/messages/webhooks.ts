import type { Context } from 'hono'
import type { Messages } from '../../../core/notifications/index.js'
import { safeEqual } from '../../../core/secrets/index.js'
import { readText } from '../../http/body/body.js'
import { parseJson } from '../../http/body/bounded-json.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import type { AppEnv } from '../../process/env.js'

const MAX_BODY_BYTES = 262_144

/**
 * Returns the handlers for the webhooks of Telegram and WhatsApp. The credential is a secret header, or a
 * signature of the body, and answers are plain text, as these services expect.
 */
export function messageWebhookHandlers(messages: Messages) {
  const { settings, telegram } = messages
  return {
    'POST /api/v1/telegram/webhook': httpHandler(async (c) => {
      const check = telegram.checkSecret(c.req.header('x-telegram-bot-api-secret-token'))
      if (check === 'missing') return c.text('Unauthorized', 401)
      if (check === 'wrong') return c.text('Forbidden', 403)
      const isUpdate = await telegram.accept(await bodyOf(c))
      return isUpdate ? c.body(null, 200) : c.text('Bad Request', 400)
    }),
    'GET /whatsapp/webhook': httpHandler((c) => {
      const token = settings.secret('whatsappVerifyToken')
      const { 'hub.challenge': challenge, 'hub.mode': mode, 'hub.verify_token': given } = c.req.query()
      const isRight = token !== undefined && given !== undefined && safeEqual(given, token)
      if (mode !== 'subscribe' || !isRight) return c.text('Forbidden', 403)
      return c.text((challenge ?? '').slice(0, 1000))
    }),
    'POST /whatsapp/webhook': httpHandler(async (c) => {
      const signature = c.req.header('x-hub-signature-256')
      if (signature === undefined) return c.text('Unauthorized', 401)
      const text = await readText(c, MAX_BODY_BYTES)
      if (!messages.isSignedByWhatsApp(text, signature)) return c.text('Forbidden', 403)
      const isNews = await messages.acceptWhatsApp(jsonOf(text))
      return isNews ? c.body(null, 200) : c.text('Bad Request', 400)
    }),
  } satisfies Partial<Handlers>
}

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
