import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export const WHATSAPP_TOKEN = `EAAG${'b'.repeat(60)}`
export const PHONE_ID = '106540352242922'

/** An error of the Cloud API. */
export type GraphFault = readonly [status: number, code: number, message: string]

export const RATE_LIMIT: GraphFault = [429, 130_429, '(#130429) Rate limit hit']
export const NEEDS_TEMPLATE: GraphFault = [400, 131_047, '(#131047) Re-engagement message']
export const UNDELIVERABLE: GraphFault = [400, 131_026, '(#131026) Message undeliverable']

interface Sent {
  to: string
  type: string
  content: Record<string, unknown>
}

/** A WhatsApp Cloud API on a free port until the test ends. */
export class FakeWhatsApp {
  readonly sent: Sent[] = []
  readonly uploads: { type: string; name: string; bytes: string }[] = []
  #faults: GraphFault[] = []
  api = ''

  static async open(): Promise<FakeWhatsApp> {
    const fake = new FakeWhatsApp()
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const body = Buffer.concat(chunks)
      const [status, answer] = await fake.#answer(
        request.url ?? '',
        request.headers.authorization,
        request.headers['content-type'] ?? '',
        body,
      )
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    fake.api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return fake
  }

  failNext(...faults: GraphFault[]): void {
    this.#faults = faults
  }

  async #answer(
    url: string,
    authorization: string | undefined,
    type: string,
    body: Buffer,
  ): Promise<[number, object]> {
    if (authorization !== `Bearer ${WHATSAPP_TOKEN}`) return failed([401, 190, 'Invalid OAuth access token'])
    if (url === `/${PHONE_ID}/media`) return [200, await this.#upload(type, body)]
    if (url !== `/${PHONE_ID}/messages`) return failed([400, 100, 'Unsupported post request'])
    const fault = this.#faults.shift()
    if (fault) return failed(fault)
    const { to, type: kind, ...rest } = JSON.parse(body.toString())
    if (rest.messaging_product !== 'whatsapp')
      return failed([400, 100, '(#100) The parameter messaging_product is required.'])
    this.sent.push({ to, type: kind, content: rest[kind] })
    const id = `wamid.${this.sent.length}`
    return [200, { messaging_product: 'whatsapp', contacts: [{ input: to, wa_id: to }], messages: [{ id }] }]
  }

  async #upload(type: string, body: Buffer) {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
    const file = form.get('file')
    if (!(file instanceof File)) throw new Error('no file was uploaded')
    this.uploads.push({ type: String(form.get('type')), name: file.name, bytes: await file.text() })
    return { id: `media-${this.uploads.length}` }
  }
}

function failed([status, code, message]: GraphFault): [number, object] {
  const details = { messaging_product: 'whatsapp', details: message }
  const error = { message, type: 'OAuthException', code, error_data: details, fbtrace_id: 'Az8or2yhqkZ' }
  return [status, { error }]
}
