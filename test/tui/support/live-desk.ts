import type { DaemonAccess } from '../../../src/client/daemon-access.js'
import { SvcClient } from '../../../src/client/index.js'
import type { DeskOptions } from '../../support/desk/desk.js'
import { HttpDesk } from '../../support/desk/http-desk.js'

/** A whole daemon in this process with a signed-in user, and the access of the terminal program to it. */
export async function liveDesk(options: DeskOptions = {}) {
  const http = await HttpDesk.open(options)
  let server = await http.listen()
  const token = await http.signIn()
  const url = () => `http://127.0.0.1:${server.port}`
  const access: DaemonAccess = {
    client: (timeoutMs) => new SvcClient({ url: url(), token, apikey: http.apikey, timeoutMs }),
  }
  return {
    http,
    url: url(),
    token,
    access,
    client: access.client(10_000),
    /** Ends all connections; the daemon refuses new ones. */
    lose: () => server.close(),
    /** Serves again, on another port, which the access knows. */
    async comeBack() {
      server = await http.listen()
    },
  }
}
