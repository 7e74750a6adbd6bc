import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.js'
import { damages, query } from '../support/files/files.js'
import { reasonAgainst } from '../support/files/small-disk.js'
import { Authenticator } from '../support/process/authenticator.js'
import { DaemonProcess, PASSWORD, USERNAME } from '../support/process/daemon-process.js'

/* Access on a disk that takes no more: what is not stored is not granted, and what protects stays in force. */

function limitFileSize(pid: number, bytes: number | 'unlimited'): void {
  execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`], { stdio: 'pipe' })
}
const missing = reasonAgainst(() => limitFileSize(process.pid, 'unlimited'))

const STRANGER = '203.0.113.9'
const SCANNER = '203.0.113.7'
const from = (address: string) => ({ 'x-real-ip': address })
const FULL: readonly number[] = [503, 507]

it.skipIf(missing)(
  'on a full disk no sign-in, code, ban or change of it is granted unless it is stored',
  async () => {
    const daemon = DaemonProcess.prepared()
    onTestFinished(() => daemon.dispose())
    await daemon.start({ env: { TRUST_PROXY_HEADERS: 'true' } })
    const settings = { auto_ban_enabled: true, threshold_404: 5 }
    expect((await daemon.request('POST', '/security/settings', settings)).status).toBe(200)
    const status = (path: string, address: string) =>
      fetch(daemon.url + path, { headers: from(address) }).then((response) => response.status)
    const signIn = () => daemon.request('POST', '/auth/login', { username: USERNAME, password: PASSWORD })
    const sessions = async () =>
      (await daemon.request<{ sessions: unknown[] }>('GET', '/auth/active-sessions')).body.sessions

    const before = (await sessions()).length
    limitFileSize(daemon.pid, statSync(join(daemon.home, 'svc.db-wal')).size)
    const refused = await signIn()
    expect(FULL).toContain(refused.status)
    expect(FULL).toContain((await daemon.request('POST', '/security/ban', { ip_address: STRANGER })).status)
    expect(await status('/version', STRANGER)).toBe(200)
    // An automatic ban protects at once, stored or not.
    for (let n = 0; n < 5; n++) await status(`/scan-${n}`, SCANNER)
    expect(await status('/version', SCANNER)).toBe(403)
    const authenticator = await Authenticator.of(daemon)
    const configured = await daemon.request('POST', '/auth/2fa/configure', {
      totp_code: await authenticator.next(),
      totp_enabled: true,
    })
    expect(FULL).toContain(configured.status)
    expect((await daemon.request('GET', '/auth/2fa/status')).body).toMatchObject({ totp_enabled: false })

    limitFileSize(daemon.pid, 'unlimited')
    await eventually(async () => (await signIn()).status === 200, 'sign-ins work again')
    expect(await sessions()).toHaveLength(before + 1)
    expect((await daemon.request('POST', '/security/ban', { ip_address: STRANGER })).status).toBe(200)
    expect(await status('/version', STRANGER)).toBe(403)
    // The automatic ban is written as soon as there is space.
    const stored = () => query(join(daemon.home, 'svc.db'), 'select ip_address from ip_bans')
    await eventually(async () => (await stored()).length === 2, 'both bans are stored')
    await daemon.kill()
    await daemon.start({ env: { TRUST_PROXY_HEADERS: 'true' } })
    for (const address of [STRANGER, SCANNER]) expect(await status('/version', address)).toBe(403)
    await daemon.kill()
    expect(await damages(daemon.home)).toEqual([])
  },
)
