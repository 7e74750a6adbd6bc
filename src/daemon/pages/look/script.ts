/**
 * The one script of all pages. Pages work without it. It follows the event stream, and refreshes a page by asking
 * for it again. A list with buttons is never reordered under the pointer: its rows are only updated in place.
 */
export const SCRIPT = `
const live = document.querySelector('[data-live]')
if (live) {
  const state = document.querySelector('[data-state]')
  const say = (text) => { if (state && state.textContent !== text) state.textContent = text }
  let waiting, retryMs = 1000, controller

  const isBusy = () => live.contains(document.activeElement) && document.activeElement.matches('input, select')
    || live.querySelector('details[open]') || String(getSelection()) !== ''

  const refreshRows = (fresh) => {
    const now = new Map([...fresh.querySelectorAll('tr[data-row]')].map((row) => [row.dataset.row, row]))
    const shown = [...live.querySelectorAll('tr[data-row]')]
    for (const row of shown) {
      const other = now.get(row.dataset.row)
      if (other && other.dataset.status === row.dataset.status) {
        for (const cell of row.querySelectorAll('[data-cell]')) {
          const newer = other.querySelector('[data-cell="' + cell.dataset.cell + '"]')
          if (newer && newer.innerHTML !== cell.innerHTML) cell.innerHTML = newer.innerHTML
        }
      } else if (row.dataset.status === 'pending' && !row.classList.contains('stale')) {
        row.classList.add('stale')
        for (const button of row.querySelectorAll('button')) button.disabled = true
        const status = row.querySelector('[data-cell="status"]')
        if (status) status.textContent = 'no longer pending'
      }
    }
    const known = new Set(shown.map((row) => row.dataset.row))
    const more = [...now.keys()].filter((id) => !known.has(id)).length
    const banner = document.querySelector('[data-more]')
    if (banner) {
      banner.hidden = more === 0
      const count = banner.querySelector('b')
      if (count) count.textContent = String(more)
    }
  }

  const keepFixed = (page) => {
    const [shown, now] = [document, page].map((it) => it.querySelector('[data-fixed]'))
    if (!shown || !now || shown.dataset.fixed === now.dataset.fixed) return
    for (const button of shown.querySelectorAll('button')) button.disabled = true
    const banner = shown.querySelector('[data-changed]')
    if (banner) banner.hidden = false
  }

  // The head says where orders go. Where that has changed, no button of the list may send one there unseen.
  let isElsewhere = false
  const keepHead = (page) => {
    const [shown, now] = [document, page].map((it) => it.querySelector('[data-head]'))
    if (!shown || !now) return
    if (shown.innerHTML !== now.innerHTML) shown.innerHTML = now.innerHTML
    if (shown.dataset.head !== now.dataset.head && live.dataset.live === 'rows') isElsewhere = true
    if (!isElsewhere) return
    for (const button of live.querySelectorAll('button')) button.disabled = true
    say('Orders go elsewhere now: reload the page')
  }

  const refresh = async () => {
    controller?.abort()
    controller = new AbortController()
    try {
      const answer = await fetch(location.href, { headers: { accept: 'text/html' }, signal: controller.signal })
      if (answer.redirected || !answer.ok) return say('Reload the page')
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
      const fresh = page.querySelector('[data-live]')
      if (!fresh) return
      const [badge, newer] = [document, page].map((it) => it.querySelector('[data-pending]'))
      if (badge && newer) { badge.textContent = newer.textContent; badge.hidden = newer.hidden }
      keepFixed(page)
      keepHead(page)
      if (isElsewhere) return
      if (fresh.dataset.every) live.dataset.every = fresh.dataset.every
      if (live.dataset.live === 'rows') refreshRows(fresh)
      else if (!isBusy()) live.innerHTML = fresh.innerHTML
    } catch (error) {
      if (error.name !== 'AbortError') say('The service was not reached')
    }
  }
  // A page that nobody sees asks for nothing; it catches up when it is seen.
  let isOld = false
  const soon = () => {
    if (document.hidden) { isOld = true; return }
    waiting ??= setTimeout(() => { waiting = undefined; refresh() }, 400)
  }
  document.addEventListener('visibilitychange', () => { if (!document.hidden && isOld) { isOld = false; soon() } })

  const follow = () => {
    const socket = new WebSocket(location.origin.replace(/^http/, 'ws') + '/events')
    socket.addEventListener('message', ({ data }) => {
      if (JSON.parse(data).event === 'connected') { retryMs = 1000; if (!isElsewhere) say('Updates by itself') }
      // Also after "connected": what happened since the page was made, or since the last connection, was told to nobody.
      soon()
    })
    socket.addEventListener('close', ({ code }) => {
      if (code === 4401) return location.reload()
      const isTooMany = code === 4429
      say(isTooMany ? 'Too many pages are open: this one does not update by itself' : 'No connection: retrying')
      setTimeout(follow, isTooMany ? 60000 : retryMs)
      retryMs = Math.min(retryMs * 2, 30000)
    })
  }
  follow()
  const again = () => {
    if (!live.dataset.every) return
    setTimeout(() => { soon(); again() }, Number(live.dataset.every) * 1000)
  }
  again()
}
`
