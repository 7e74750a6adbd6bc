import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLIENT_CHANGES, clientChanges } from '../../scripts/docs/client-changes.js'
import { type Document, documents, ROOT } from '../../scripts/docs/documents.js'
import { sections } from '../../scripts/docs/sections.js'
import { sectionsOf, withSections } from '../../scripts/docs/with-sections.js'

const PAGES = documents().map((page) => [page.path.slice(ROOT.length), page] as const)
/** Paths of this repository in the pages: in backticks, or bare in a code block. */
const OWN_PATH = /(?<![\w./-])(?:src|test|scripts|bin|bench|lint|\.ci)\/[\w./-]*\w/g
const LINK = /\]\(([^)\s]+)\)/g
const SCRIPT = /npm run (?:-\S+ )?([\w:-]+)/g

const matches = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].map((m) => m[1] ?? m[0])),
]

/** A test of this repository by its file, with names of its tests: `test/x.test.ts`: "a name", "another name". */
const NAMED_TESTS = /`(test\/[^`\s]+\.test\.tsx?)`:((?:,?\s+"[^"]+")+)/g
/** A name before its file: "a name" in `test/x.test.ts`. */
const TEST_IN_FILE = /"([^"]+)"\s+in\s+`(test\/[^`\s]+\.test\.tsx?)`/g

/** Returns the tests that a page names, as file and name. */
const namedTests = (text: string): [file: string, name: string][] => [
  ...[...text.matchAll(NAMED_TESTS)].flatMap(([, file = '', names = '']) =>
    [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']): [string, string] => [file, name]),
  ),
  ...[...text.matchAll(TEST_IN_FILE)].map(([, name = '', file = '']): [string, string] => [file, name]),
]

/** Returns whether a test file has a test or a group of tests of that name. */
const hasTest = (file: string, name: string): boolean => {
  const path = join(ROOT, file)
  const title = name.replace(/\s+/g, ' ')
  return (
    existsSync(path) &&
    ["'", '"', '`'].some((quote) =>
      readFileSync(path, 'utf8').replaceAll("\\'", "'").includes(`${quote}${title}${quote}`),
    )
  )
}

/** Returns the anchors of the headings, in the form that links use. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .trim()
      .replace(/\s/g, '-'),
  )

describe.each(PAGES)('%s', (_name, page: Document) => {
  it('has generated sections as the code is now (otherwise: npm run docs)', async () => {
    expect(page.text).toBe(withSections(page.text, await sections()))
  })

  it('names only files that exist', () => {
    expect(matches(page.text, OWN_PATH).filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })

  it('names only tests that exist', () => {
    expect(namedTests(page.text).filter(([file, name]) => !hasTest(file, name))).toEqual([])
  })

  it('names only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    expect(matches(page.text, SCRIPT).filter((script) => !(script in scripts))).toEqual([])
  })

  it('links only to pages and headings that exist', () => {
    const broken = matches(page.text, LINK).filter((link) => {
      if (/^https?:/.test(link)) return false
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? page.path : join(dirname(page.path), file)
      if (!existsSync(target)) return true
      return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor)
    })
    expect(broken).toEqual([])
  })
})

it('the client lists the endpoints that change something as the table of operations has them', () => {
  expect(readFileSync(CLIENT_CHANGES, 'utf8')).toBe(clientChanges())
  for (const name of ['placeorder', 'analyzer/toggle', 'cancelgttorder', 'chart'])
    expect(clientChanges()).toContain(`'${name}'`)
  for (const name of ['quotes', 'gttorderbook', 'orderstatus', 'margin'])
    expect(clientChanges()).not.toContain(`'${name}'`)
})

it('every threat and every promise of docs/security.md names a test that proves it', () => {
  const page = PAGES.find(([name]) => name === 'docs/security.md')?.[1].text ?? ''
  for (const heading of ['Threats', 'Promises']) {
    const section = page.split(`\n## ${heading}\n`)[1]?.split(/\n##+ /)[0] ?? ''
    const rows = section
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(2)
    expect(rows.length).toBeGreaterThanOrEqual(14)
    expect(rows.filter((row) => namedTests(row).length === 0)).toEqual([])
  }
})

it('every generated section is shown somewhere', async () => {
  const shown = new Set(PAGES.flatMap(([, page]) => sectionsOf(page.text)))
  expect([...(await sections()).keys()].filter((name) => !shown.has(name))).toEqual([])
})
