import { expect, it } from 'vitest'
import { NodeError } from '../../../src/core/flows/index.js'
import { flowNotifier } from '../../../src/daemon/flows/notifier-port.js'
import { TestDesk } from '../../support/desk/desk.js'
import { eventually } from '../../support/eventually.js'
import { BOT_TOKEN, FakeTelegram } from '../../support/messages/fake-telegram.js'
import {
  FakeWhatsApp,
  PHONE_ID,
  UNDELIVERABLE,
  WHATSAPP_TOKEN,
} from '../../support/messages/fake-whatsapp.js'

async function open(token: string | undefined = BOT_TOKEN) {
  const [telegram, whatsapp] = [await FakeTelegram.open(), await FakeWhatsApp.open()]
  const env = { TELEGRAM_CHATS: 'asha=4711', ...(token !== '' && { TELEGRAM_BOT_TOKEN: token }) }
  const { service } = await TestDesk.open({ env, telegramApi: telegram.api, whatsappApi: whatsapp.api })
  return { telegram, whatsapp, messages: service.messages, notifier: flowNotifier(service.messages) }
}

it.each([
  ['', 'asha', 'Telegram bot is stopped'],
  [BOT_TOKEN, 'ravi', 'No Telegram account linked for user: ravi'],
])('with the token %s a text to %s is refused', async (token, userId, message) => {
  const { notifier } = await open(token)
  await expect(notifier.telegram(userId, 'x')).rejects.toThrow(new NodeError(message))
})

it('is refused when the user wants no messages', async () => {
  const { messages, notifier } = await open()
  const [contact] = messages.contacts.all()
  if (contact) await messages.contacts.change(contact, { enabled: false })
  await expect(notifier.telegram('asha', 'x')).rejects.toThrow('Telegram notifications are disabled')
})

it('queues for the linked chat, and the text arrives', async () => {
  const { notifier, telegram } = await open()
  await notifier.telegram('asha', 'Sold 5*65 at 3*4 by my_rsi_bot')
  await eventually(() => telegram.sent.length === 1)
  expect(telegram.sent).toMatchObject([{ chat_id: '4711', shown: 'Sold 5*65 at 3*4 by my_rsi_bot' }])
})

it('says that no WhatsApp device is paired', async () => {
  const { notifier } = await open()
  await expect(notifier.whatsapp('asha', 'x', '')).rejects.toThrow(/^WhatsApp is not paired or not connected/)
})

it('sends to a number or to the own one, and fails when WhatsApp refuses', async () => {
  const { messages, notifier, whatsapp } = await open()
  await messages.settings.update({ whatsappToken: WHATSAPP_TOKEN, whatsappPhoneId: PHONE_ID })
  await expect(notifier.whatsapp('asha', 'x', '')).rejects.toThrow('No WhatsApp number of user: asha')
  await messages.contacts.link({ userId: 'asha', channel: 'whatsapp', address: '919876543210' })
  await notifier.whatsapp('asha', 'own', '')
  await notifier.whatsapp('asha', 'other', '14155550100')
  expect(whatsapp.sent.map(({ to }) => to)).toEqual(['919876543210', '14155550100'])
  whatsapp.failNext(UNDELIVERABLE)
  await expect(notifier.whatsapp('asha', 'lost', '14155550101')).rejects.toThrow('Message undeliverable')
})
