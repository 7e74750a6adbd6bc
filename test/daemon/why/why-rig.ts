import { expect } from 'vitest'
import { ApiRig, type Mode } from '../operations/api-rig.js'

interface Told {
  kind: string
  also: string[]
  state: string | null
  more: number
  entries: Record<string, unknown>[]
}

/** The HTTP surface, and what it explains. */
export class WhyRig {
  private constructor(readonly rig: ApiRig) {}

  static async open(mode: Mode = 'live'): Promise<WhyRig> {
    return new WhyRig(await ApiRig.open(mode))
  }

  /** Sends a request and returns the id that its answer had. */
  async asked(path: string, body: object, headers: Record<string, string> = {}): Promise<string> {
    const text = JSON.stringify({ apikey: this.rig.apikey, ...body })
    const sent = this.rig.app.request(
      `/api/v1/${path}`,
      { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text },
      {},
    )
    return (await this.rig.settled(Promise.resolve(sent))).headers.get('x-request-id') ?? ''
  }

  async why(id: string): Promise<Told> {
    const { body, status } = await this.rig.post('why', { id })
    expect([id, status]).toEqual([id, 200])
    return Object(body.data)
  }

  /** Returns the states of a timeline in their order. */
  async states(id: string): Promise<unknown[]> {
    return (await this.why(id)).entries.map(({ state }) => state)
  }
}
