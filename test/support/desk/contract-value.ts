import { onTestFinished, vi } from 'vitest'
import type { TestDesk } from './desk.js'

/** Lets one quantity of a symbol be worth a part of its price, as a contract of CRYPTO is, for this test. */
export function holdContractValue(desk: TestDesk, wanted: string, contractValue: number): void {
  const { directory } = desk.service.instruments
  const find = directory.find.bind(directory)
  const spy = vi.spyOn(directory, 'find').mockImplementation((symbol, exchange) => {
    const found = find(symbol, exchange)
    return found && symbol === wanted ? { ...found, contractValue } : found
  })
  onTestFinished(() => spy.mockRestore())
}
