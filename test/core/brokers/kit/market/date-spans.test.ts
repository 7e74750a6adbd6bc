import { expect, it } from 'vitest'
import { dateSpans } from '../../../../../src/core/brokers/kit/market/date-spans.js'

it('a range of dates becomes spans that do not overlap and leave nothing out', () => {
  expect(dateSpans({ from: '2026-01-30', to: '2026-02-05' }, 3)).toEqual([
    { from: '2026-01-30', to: '2026-02-01' },
    { from: '2026-02-02', to: '2026-02-04' },
    { from: '2026-02-05', to: '2026-02-05' },
  ])
  expect(dateSpans({ from: '2026-01-30', to: '2026-01-30' }, 60)).toHaveLength(1)
})
