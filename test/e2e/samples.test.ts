import { expect, it } from 'vitest'
import { documents, ROOT } from '../../scripts/docs/documents.js'
import { recordPage, withSamples } from '../../scripts/docs/samples/record.js'
import { shapeOf } from '../../scripts/docs/samples/shape.js'

const PAGES = withSamples(documents()).map((page) => [page.path.slice(ROOT.length), page] as const)

it('the README shows recorded runs', () => {
  expect(PAGES.map(([name]) => name)).toContain('README.md')
})

it.each(PAGES)(
  'the samples of %s show what the program prints (otherwise: npx tsx scripts/record-samples.ts)',
  async (_name, page) => {
    expect(shapeOf(page.text)).toBe(shapeOf(await recordPage(page)))
  },
)
