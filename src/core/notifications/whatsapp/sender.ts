import { basename } from 'node:path'
import type { Message, Sender } from '../schema.js'
import { type WhatsAppApi, type WhatsAppContent, WhatsAppRefusal } from './api.js'

interface WhatsAppSenderParts {
  api: WhatsAppApi
  isReady: () => boolean
  /** The approved template for texts outside of a conversation; undefined if there is none. */
  template: () => { name: string; language: string } | undefined
}

/** The longest parameter of a template. */
const MAX_PARAMETER = 1_024
const MAX_CAPTION = 1_024

/**
 * Sends the messages of the queue by WhatsApp. A recipient who has not written for 24 hours may only get a
 * template: then the text goes as the parameter of the approved one.
 */
export class WhatsAppSender implements Sender {
  readonly channel = 'whatsapp'

  constructor(private readonly parts: WhatsAppSenderParts) {}

  isReady(): boolean {
    return this.parts.isReady()
  }

  async send(message: Message, signal: AbortSignal): Promise<string> {
    const { api, template: templateOf } = this.parts
    try {
      return await api.send(message.address, await this.#content(message, signal), signal)
    } catch (error) {
      const template = templateOf()
      if (!(error instanceof WhatsAppRefusal && error.needsTemplate && template)) throw error
      return api.send(message.address, templateContent(template, message.body), signal)
    }
  }

  async #content(message: Message, signal: AbortSignal): Promise<WhatsAppContent> {
    const { attachment, attachmentKind, attachmentName, body } = message
    if (attachment === null) return { type: 'text', text: { preview_url: false, body } }
    const id = await this.parts.api.upload(attachment, signal)
    const caption = body === '' ? {} : { caption: body.slice(0, MAX_CAPTION) }
    if (attachmentKind === 'image') return { type: 'image', image: { id, ...caption } }
    return {
      type: 'document',
      document: { id, ...caption, filename: attachmentName ?? basename(attachment) },
    }
  }
}

function templateContent(
  { language, name }: { name: string; language: string },
  text: string,
): WhatsAppContent {
  // A parameter must not contain line breaks, tabs, or more than four spaces in a row.
  const parameter = text
    .replaceAll(/\s*\n\s*/g, ' | ')
    .replaceAll(/\s+/g, ' ')
    .slice(0, MAX_PARAMETER)
  const components = [{ type: 'body' as const, parameters: [{ type: 'text' as const, text: parameter }] }]
  return { type: 'template', template: { name, language: { code: language }, components } }
}
