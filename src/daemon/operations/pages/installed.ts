import { MadeFile } from '../../http/response/reply.js'
import { HOME } from '../../pages/addresses.js'
import { open } from '../running.js'

const anyone = open('Service')
const DAY = { 'Cache-Control': 'public, max-age=86400' }

/** The letter s as two turns of a path, on the ground of the dark scheme. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" fill="#101319"/>\
<path d="M44 22c-2-5-7-7-12-7-7 0-12 4-12 9 0 12 25 5 25 17 0 5-6 8-13 8-6 0-11-3-13-8" fill="none" stroke="#7db7f5" \
stroke-width="6" stroke-linecap="round"/></svg>`

/** What a browser needs to put the pages on a home screen. */
const MANIFEST = {
  name: 'svc',
  short_name: 'svc',
  description: 'Approvals, orders and positions of this service.',
  start_url: HOME,
  scope: '/',
  display: 'standalone',
  background_color: '#101319',
  theme_color: '#101319',
  icons: [{ src: '/icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any maskable' }],
}

/** The files that let a browser install the pages as an application. They are the same for everybody. */
export const INSTALLED_OPERATIONS = {
  'GET /manifest.webmanifest': anyone('Returns what a browser needs to install the pages.', {
    answerText: 'application/manifest+json',
    run: () =>
      new MadeFile(JSON.stringify(MANIFEST), { ...DAY, 'Content-Type': 'application/manifest+json' }),
  }),
  'GET /icon.svg': anyone('Returns the icon of the pages.', {
    answerText: 'image/svg+xml',
    run: () => new MadeFile(ICON, { ...DAY, 'Content-Type': 'image/svg+xml' }),
  }),
}
