/** @jsxImportSource hono/jsx */
import { raw } from 'hono/html'
import { SCRIPT } from '../look/script.js'
import { STYLE } from '../look/style.js'
import type { PageContent, PageRequest, Surroundings } from '../page.js'
import { number, withVisibleCharacters } from './format.js'
import { CsrfField } from './forms.js'
import { NoticeBox } from './notice.js'

/** The pages of the menu. A page below one of them marks that one. */
const MENU = [
  ['/action-center', 'Approvals'],
  ['/orders', 'Orders'],
  ['/positions', 'Positions'],
  ['/pnl-tracker', 'P&L'],
  ['/strategies', 'Strategies'],
  ['/logs', 'Order log'],
  ['/logs/sandbox', 'Analyzer log'],
  ['/traffic', 'Traffic'],
  ['/latency', 'Latency'],
  ['/security', 'Security'],
  ['/search', 'Search'],
  ['/logging', 'All logs'],
] as const

/** Other addresses of the pages of the menu. */
const SAME_AS: Readonly<Record<string, string>> = {
  '/logs/live': '/logs',
  '/logs/traffic': '/traffic',
  '/logs/latency': '/latency',
  '/logs/security': '/security',
  '/search/token': '/search',
}

const DOCTYPE = '<!doctype html>'

/** Returns the HTML of a page. Invisible characters in it are named, wherever they come from. */
export function renderPage(content: PageContent, request: PageRequest): string {
  return withVisibleCharacters(DOCTYPE + String(<Shell content={content} request={request} />))
}

function Shell({ content, request }: { content: PageContent; request: PageRequest }) {
  const { title, body, fixed, live, refreshSeconds } = content
  const { around, notice } = request
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · svc`}</title>
        <meta name="theme-color" content="#101319" />
        <link rel="icon" type="image/svg+xml" href="/icon.svg" />
        <link rel="manifest" href="/manifest.webmanifest" />
        <style>{raw(STYLE)}</style>
      </head>
      <body>
        <a class="skip" href="#content">
          To the content
        </a>
        {around && <Bar around={around} request={request} />}
        <main id="content" tabindex={-1}>
          {notice && <NoticeBox tone={notice.tone}>{notice.text}</NoticeBox>}
          {fixed && <div data-fixed={fixed.state}>{fixed.body}</div>}
          {live ? (
            <div data-live={live} {...(refreshSeconds && { 'data-every': String(refreshSeconds) })}>
              {body}
            </div>
          ) : (
            body
          )}
        </main>
        {live && <script>{raw(SCRIPT)}</script>}
      </body>
    </html>
  )
}

function Bar({ around, request: { csrf, path } }: { around: Surroundings; request: PageRequest }) {
  const current = SAME_AS[path] ?? (path.startsWith('/strategies/') ? '/strategies' : path)
  return (
    <header class="bar">
      <div>
        <a class="brand" href="/action-center">
          svc
        </a>
        <nav aria-label="Pages">
          {MENU.map(([to, title]) => (
            <a href={to} {...(to === current && { 'aria-current': 'page' })}>
              {title}
              {to === '/action-center' && <Pending count={around.pending} />}
            </a>
          ))}
        </nav>
        <div class="who">
          <Mode around={around} />
          <form method="post" action="/auth/logout" class="actions">
            <CsrfField token={csrf} />
            <button type="submit">Sign out {around.username}</button>
          </form>
        </div>
      </div>
    </header>
  )
}

/** The number of waiting orders. The live script updates it. */
function Pending({ count }: { count: number }) {
  return (
    <>
      {' '}
      <span class="badge warning" data-pending="" hidden={count === 0}>
        {count}
      </span>
    </>
  )
}

/** What is wrong with the session at the broker. */
const SESSION_NOTES: Readonly<Record<Surroundings['brokerSession'], string>> = {
  signed_in: '',
  expires_soon: ', session ends soon',
  ip_not_allowed: ', refuses this address',
  expired: ', session expired',
  refused: ', session refused',
  signed_out: ', not connected',
}

/** Where orders go now: the fact that a person must not overlook. */
function Mode({ around }: { around: Surroundings }) {
  const { analyzeMode, broker, brokerSession, drift, killSwitch, orderMode, ordersLeft } = around
  return (
    <span data-head={analyzeMode ? 'analyze' : `live ${broker ?? ''}`}>
      {killSwitch && <span class="badge bad">Kill switch on</span>}{' '}
      <span class={analyzeMode ? 'badge' : 'badge bad'}>{analyzeMode ? 'Analyzer' : 'Live'}</span>{' '}
      <span class="badge">{orderMode === 'semi_auto' ? 'Semi-auto' : 'Auto'}</span>{' '}
      {!analyzeMode && (
        <span class={brokerSession === 'signed_in' ? 'badge good' : 'badge warning'}>
          {broker ?? 'no broker'}
          {SESSION_NOTES[brokerSession]}
        </span>
      )}{' '}
      <FeedBadge feed={around.feed} />
      {!analyzeMode && ordersLeft && (
        <span class="badge">
          {number(ordersLeft.left)} of {number(ordersLeft.limit)} order calls left
        </span>
      )}{' '}
      {!analyzeMode && drift && <span class="badge warning">Not from here: {drift}</span>}
    </span>
  )
}

/** The price feed, with the age of its last price. Nothing where no symbol is watched. */
function FeedBadge({ feed: { age_ms: age, state } }: { feed: Surroundings['feed'] }) {
  const since = age === null ? '' : ` ${Math.round(age / 1000)} s`
  if (state === 'lost') return <span class="badge warning">feed lost{since}</span>
  return state === 'live' ? <span class="badge">feed{since}</span> : null
}
