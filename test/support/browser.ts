import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const found = PATHS.find(existsSync)

/** Why the tests in a browser are skipped, to add to their name. Undefined where there is a browser. */
export const browserMissing = found === undefined ? 'skipped: no Chromium is installed' : undefined

/** As root Chromium runs only without its sandbox. The tests open nothing but their own daemon. */
export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: found ?? '', args: ['--no-sandbox', '--disable-gpu'] })

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Returns what the accessibility check finds on a page. */
export async function barriers(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE })
  // The script of the check, added above, puts itself into the window.
  const check: { violations: { id: string; nodes: { html: string }[] }[] } = await page.evaluate('axe.run()')
  return check.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
