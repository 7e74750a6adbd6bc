import type { DaemonAccess } from '../../../src/client/daemon-access.js'
import { SvcClient } from '../../../src/client/index.js'
import type { HttpDesk } from '../../support/desk/http-desk.js'

type Scopes = Parameters<HttpDesk['tokenOf']>

/** Returns the access of a personal access token with some scopes. */
export async function accessOf(
  { http, url }: { http: HttpDesk; url: string },
  ...scopes: Scopes
): Promise<DaemonAccess> {
  const token = await http.tokenOf(...scopes)
  return { client: (timeoutMs) => new SvcClient({ url, token, timeoutMs }) }
}
