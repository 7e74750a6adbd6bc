import { expect, it } from 'vitest'
import { indexSymbol } from '../../../../../src/core/brokers/kit/master/index-names.js'

it('gives the codes of the service to the indices that brokers name in another way', () => {
  expect(['NIFTY 50', 'Nifty Bank', 'India VIX'].map((name) => indexSymbol('NSE_INDEX', name))).toEqual([
    ...['NIFTY', 'BANKNIFTY', 'INDIAVIX'],
  ])
  expect(['SENSEX', 'SNSX50', 'BSE IT'].map((name) => indexSymbol('BSE_INDEX', name))).toEqual([
    ...['SENSEX', 'SENSEX50', 'BSEINFORMATIONTECHNOLOGY'],
  ])
})

it('takes the blanks from every other name', () => {
  expect(indexSymbol('NSE_INDEX', 'NIFTY GS 4 8YR')).toBe('NIFTYGS48YR')
  expect(indexSymbol('BSE_INDEX', 'NIFTY 50')).toBe('NIFTY50')
})
