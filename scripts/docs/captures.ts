/** Matches `<!-- screen: name -->` and the block of text after it. */
const CAPTURE = /(<!-- screen: ([a-z]+) -->\n)(?:```text\n[\s\S]*?\n```\n)?/g

/** A page shows less of the room that a screen leaves empty. */
const MOST_EMPTY = 4
const EMPTY_LINES = new RegExp(`\\n{${MOST_EMPTY + 2},}`, 'g')

/** Returns a page with new captures of screens. @throws Error when a screen has no capture */
export function withCaptures(page: string, captures: ReadonlyMap<string, string>): string {
  return page.replace(CAPTURE, (_whole, opening: string, name: string) => {
    const capture = captures.get(name)
    if (capture === undefined) throw new Error(`no screen is named "${name}"`)
    return `${opening}\`\`\`text\n${capture.replace(EMPTY_LINES, '\n'.repeat(MOST_EMPTY + 1))}\n\`\`\`\n`
  })
}
