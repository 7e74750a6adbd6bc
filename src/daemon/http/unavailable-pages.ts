/** Pages that existing installations link to and that have no content, with the page that replaces them. */
const UNAVAILABLE: ReadonlyMap<string, string> = new Map([
  ['/pnltracker/legacy', '/pnl-tracker'],
  ['/test_chart', '/pnl-tracker'],
])

/** Returns the text of the 404 for such a page; undefined for any other path. */
export function unavailablePage(path: string): string | undefined {
  const page = UNAVAILABLE.get(path)
  return page && `This page is registered but unavailable. Open ${page} instead.`
}
