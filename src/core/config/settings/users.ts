import { chats, flag, folders, integer, safeOrigin, secretText, text, timeOfDay } from '../kinds.js'
import { optional, setting } from './describe.js'

/** How messages reach users, and how long their sessions last. */
export const USERS = {
  TELEGRAM_BOT_TOKEN: optional(
    secretText('the token of a Telegram bot', /^\d{5,20}:[\w-]{20,100}$/),
    'Token of the Telegram bot, until another is stored with `svc message channel telegram`.',
  ),
  TELEGRAM_CHATS: optional(
    chats,
    'Telegram chat of each user: `asha=123456789`. `svc message link` links a chat without it.',
  ),
  TELEGRAM_API_URL: optional(
    safeOrigin,
    'Address of a Telegram Bot API server of your own. Without it, https://api.telegram.org.',
  ),
  TELEGRAM_WEBHOOK_SECRET: optional(
    secretText('1 to 256 letters, digits, underscores or dashes', /^[\w-]{1,256}$/),
    "Secret that Telegram sends with each update to the webhook. Without it, a part of the token's SHA-256.",
  ),
  WHATSAPP_ATTACHMENT_ROOTS: optional(
    folders,
    'Folders whose files may be sent by WhatsApp. Without it, the folder `attachments` of the home.',
  ),

  SESSION_EXPIRY_TIME: setting(timeOfDay, '03:00', 'Time of day at which sessions end.'),
  DISABLE_SESSION_EXPIRY: setting(flag, 'false', 'Sessions do not end daily. For markets that never close.'),
  REAUTH_MINUTES: setting(
    integer(0, 1440),
    '15',
    'Minutes for which a sign-in, or the password entered again, allows dangerous acts; 0 never asks again.',
  ),
  SESSION_COOKIE_NAME: setting(
    text('1 to 64 letters, digits, dots, dashes or underscores', /^[\w.-]{1,64}$/),
    'session',
    'Name of the session cookie.',
  ),
}
