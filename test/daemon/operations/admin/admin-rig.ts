import type { DeskOptions } from '../../../support/desk/desk.js'
import { bearer, HttpDesk, type Reply } from '../../../support/desk/http-desk.js'

/** The daemon with the owner signed in, who calls the routes of the administration. */
export async function adminRig(options: DeskOptions = {}) {
  return adminRigOf(await HttpDesk.open(options))
}

export async function adminRigOf(http: HttpDesk) {
  const headers = bearer(await http.tokenOf('admin', 'read'))
  const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
    http.request(method, `/admin/api/${path}`, { headers, ...(body !== undefined && { body }) })
  /** Calls an endpoint of the public API. */
  const api = async (path: string, body: object): Promise<Record<string, unknown>> =>
    (await http.request('POST', `/api/v1/${path}`, { body: { apikey: http.apikey, ...body } })).body
  const upload = (text: string, exchange = 'NFO'): Promise<Reply> =>
    http.request('POST', `/admin/api/freeze/upload?exchange=${exchange}`, {
      text,
      headers: { ...headers, 'content-type': 'text/csv' },
    })
  /** Sends a form as a browser does. */
  const uploadForm = async (form: FormData): Promise<{ status: number; body: Record<string, unknown> }> => {
    const init = { method: 'POST', headers, body: form }
    const response = await http.app.request('/admin/api/freeze/upload', init, {})
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  const { clock, service } = http.desk
  return { http, clock, service, call, api, upload, uploadForm }
}

export type AdminRig = Awaited<ReturnType<typeof adminRigOf>>
