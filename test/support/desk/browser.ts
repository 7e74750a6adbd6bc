import { USER } from './desk.js'
import { type HttpDesk, PASSWORD, type Reply } from './http-desk.js'

/** The headers of a browser that opens a page. */
export const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** A browser without scripts: it keeps cookies, opens pages and submits the forms on them. */
export class Browser {
  readonly #cookies = new Map<string, string>()

  constructor(private readonly http: HttpDesk) {}

  static async signedIn(http: HttpDesk): Promise<Browser> {
    const browser = new Browser(http)
    await browser.submit('/auth/login', { username: USER, password: PASSWORD })
    return browser
  }

  async open(path: string, headers: Record<string, string> = {}): Promise<Reply> {
    const reply = await this.http.request('GET', path, {
      headers: { ...BROWSER, ...this.#cookie(), ...headers },
    })
    this.#keep(reply)
    return reply
  }

  /** Opens a page and those it leads to. */
  async follow(path: string): Promise<Reply & { path: string }> {
    let [reply, at] = [await this.open(path), path]
    for (let i = 0; i < 5 && reply.status >= 300 && reply.status < 400; i++) {
      at = reply.headers.get('location') ?? ''
      reply = await this.open(at)
    }
    return { ...reply, path: at }
  }

  /** Submits a form exactly as given. */
  async submit(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const reply = await this.http.request('POST', path, {
      text: String(new URLSearchParams(fields)),
      headers: {
        ...BROWSER,
        'content-type': 'application/x-www-form-urlencoded',
        ...this.#cookie(),
        ...headers,
      },
    })
    this.#keep(reply)
    return reply
  }

  /** Submits a form of a signed-in user, and opens the page that it leads to. */
  async act(path: string, fields: Record<string, string> = {}): Promise<Reply & { path: string }> {
    const reply = await this.submit(path, { csrf_token: await this.csrfToken(), ...fields })
    return this.follow(reply.headers.get('location') ?? '')
  }

  /** Returns the token that the forms of this session have. */
  async csrfToken(): Promise<string> {
    return /name="csrf_token" value="([^"]+)"/.exec((await this.open('/logging')).text)?.[1] ?? ''
  }

  #cookie(): Record<string, string> {
    const pairs = [...this.#cookies].map(([name, value]) => `${name}=${value}`)
    return pairs.length === 0 ? {} : { cookie: pairs.join('; ') }
  }

  #keep({ headers }: Reply): void {
    for (const cookie of headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=')
      if (value === '' || /max-age=0/i.test(cookie)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
  }
}
