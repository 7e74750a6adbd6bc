import type { DeskOptions } from '../desk/desk.js'
import { bearer, HttpDesk } from '../desk/http-desk.js'
import { oauthParties, PUBLIC_URL } from './parties.js'

/** A daemon in this process with MCP on, its signed-in owner, and an assistant that speaks OAuth to it. */
export async function oauthRig(options: DeskOptions = {}) {
  const http = await HttpDesk.open(options)
  return oauthRigOf(http, await http.signIn())
}

export type OAuthRig = Awaited<ReturnType<typeof oauthRig>>

/** The same on a daemon that a test has opened, such as one after a restart. */
export async function oauthRigOf(http: HttpDesk, session: string) {
  const { mcp } = http.desk.service
  await mcp.changeSettings({ publicUrl: PUBLIC_URL, enabled: true, requireApproval: false })
  /** Returns whether an access token opens anything. */
  const opens = async (token: string): Promise<boolean> => 'tokenId' in (await mcp.verify(token))
  const parties = oauthParties((...request) => http.request(...request), bearer(session))
  /** Stops the daemon and starts it again, on the same home. */
  const restarted = async (): Promise<HttpDesk> => {
    const { clock, home } = http.desk
    await http.desk.close()
    return HttpDesk.open({ home, clock })
  }
  return { ...parties, http, mcp, session, opens, restarted, clock: http.desk.clock }
}
